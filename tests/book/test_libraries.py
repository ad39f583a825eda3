"""The table of libraries says what the installed ones do, and its probes tell answers apart."""

import re

import numpy as np
import pytest

from benchmarks.libraries import QUESTIONS, ask, probes, recorded, subjects, version

ANSWERS = recorded()
HERE = [
    pytest.param(subject, question, id=f"{subject.name}-{question}")
    for module in ("pytorch", "hugging_face")
    for subject in subjects(module)
    for question in QUESTIONS
]


@pytest.mark.parametrize("subject, question", HERE)
def test_an_installed_library_still_answers_as_the_page_says(subject, question):
    said = ANSWERS[question][subject.name]
    found = ask(subject, question)
    answer = found["answer"]
    parts = [int(part) for part in version(subject.package).split(".")[:2]]
    if answer != said["answer"] and parts < [int(part) for part in said["version"].split(".")[:2]]:
        pytest.skip(f"{said['version']} answers {said['answer']}; this is older: {answer}")
    assert answer == said["answer"], "run: python -m benchmarks.libraries"
    assert found.get("weights") == said.get("weights")


def test_each_question_has_an_answer_from_each_library():
    assert list(ANSWERS) == QUESTIONS
    names = list(ANSWERS["axes"])
    for question, answers in ANSWERS.items():
        assert list(answers) == names, question
        for said in answers.values():
            assert set(said) - {"weights", "refusals"} == {"answer", "version", "date"}
            assert said["answer"] and not said["answer"].startswith("no longer so")
            ours = re.compile(r"AttributeError|NameError|unexpected keyword|not defined")
            assert not [words for words in said.get("refusals", []) if ours.search(words)]


def test_the_manual_says_otherwise_still():
    torch = pytest.importorskip("torch")
    manual = torch.nn.functional.scaled_dot_product_attention.__doc__
    assert "error is thrown if both attn_mask and is_causal are set" in manual
    assert "both count" in ANSWERS["corner"]["PyTorch’s function"]["answer"]


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_libraries_fit_one_sheet_of_paper(open_page, paper):
    page = open_page("book/in_a_library_sheet.html")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 1
    different = sum(len({said["answer"] for said in found.values()}) for found in ANSWERS.values())
    assert page.locator("#libraries-on-one-sheet li").count() == different


class Made:
    """An attention in NumPy with the conventions that it is given."""

    def __init__(self, true="takes part", corner="upper", lost="zeros", groups="", divisor=2.0):
        self.true, self.corner, self.lost = true, corner, lost
        self.groups, self.divisor = groups, divisor

    def attend(self, q, k, v, mask=None, causal=False, scale=None):
        head = np.arange(q.shape[1])
        shared = q.shape[1] // k.shape[1]
        head = head // shared if self.groups == "consecutive" else head % k.shape[1]
        k, v = k[:, head], v[:, head]
        s = q @ k.swapaxes(-1, -2) * (1 / self.divisor if scale is None else scale)
        seen = np.ones(s.shape, dtype=bool)
        if causal:
            seen &= np.tri(*s.shape[-2:], (self.corner == "lower") * 2, dtype=bool)
        if mask is not None and mask.dtype == bool:
            seen &= mask if self.true == "takes part" else ~mask
        elif mask is not None:
            s = s + mask
        e = np.where(seen, np.exp(s), 1e-30 if self.lost == "mean" else 0.0)
        total = e.sum(-1, keepdims=True)
        if self.lost == "zeros":
            total[total == 0] = 1.0
        with np.errstate(invalid="ignore"):
            return e / total @ v


@pytest.mark.parametrize(
    "made, probe, answer",
    [
        (Made(), probes.polarity, "True takes part"),
        (Made("is hidden"), probes.polarity, "True is hidden"),
        (Made(), probes.additive, "added to the scores"),
        (Made(), probes.corner, "upper left"),
        (Made(corner="lower"), probes.corner, "lower right"),
        (Made(), probes.empty, "zeros"),
        (Made(lost="NaN"), probes.empty, "NaN"),
        (Made(lost="mean"), probes.empty, "the mean of all values"),
        (Made(groups="consecutive"), probes.grouping, "consecutive"),
        (Made(groups="interleaved"), probes.grouping, "interleaved"),
        (Made(), probes.scale, "divided by √d"),
        (Made(divisor=1.0), probes.scale, "not divided"),
        (Made(divisor=4.0), probes.scale, "divided by d"),
    ],
)
def test_a_probe_tells_conventions_apart(made, probe, answer):
    assert probe(made) == answer
