"""What *Build it in PyTorch* says of itself: how many lines it takes, and what goes wrong how."""

import ast

import numpy as np
import pytest
from pages import ROOT, Page

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

PAGE = Page.read(ROOT / "book" / "build_pytorch.ipynb")
MODULES = """
    book_Embedding book_CausalHeads book_Block Network Model small book_RMSNorm GatedNetwork
    book_rotary book_neighbours book_GroupedHeads modern PARTS book_renamed loaded
""".split()
TRAINING = """
    book_padded_loss book_decay_groups book_train_step Training validate checkpoint restore
""".split()


def statements():
    """The statements of all cells that run, each with its source."""
    for cell in PAGE.code:
        for statement in ast.parse(cell.source).body:
            yield statement, ast.get_source_segment(cell.source, statement)


def sources(names):
    """Name -> all statements that define it, with their decorators."""
    found = {name: [] for name in names}
    for statement, source in statements():
        match statement:
            case ast.ClassDef() | ast.FunctionDef():
                name = statement.name
                source = "".join(f"@{ast.unparse(d)}\n" for d in statement.decorator_list) + source
            case ast.Assign([ast.Name(name)]) | ast.AugAssign(ast.Name(name)):
                pass
            case _:
                continue
        if name in found:
            found[name].append(source)
    return found


def lines(names):
    found = sources(names)
    assert all(found.values()), found
    code = "\n".join(source for each in found.values() for source in each)
    return len([line for line in code.splitlines() if line.strip()])


def test_lines_are_as_few_as_the_page_says():
    modules, training = lines(MODULES), lines(TRAINING)
    assert modules <= 140 and training <= 60
    assert f"{modules} lines of modules" in PAGE.prose
    assert f"{training} lines that train" in PAGE.prose


@pytest.fixture(scope="module")
def book():
    """What the page defines, without what it runs."""
    space = {"torch": torch, "nn": nn, "F": F, "np": np, "math": __import__("math")}
    space |= {"D": 32, "N_HEADS": 4, "CONTEXT": 32}
    for name, each in sources([*MODULES, *TRAINING]).items():
        exec("\n".join(each), space)
        space[name.removeprefix("book_")] = space[name]
    return space


def test_a_modern_model_continues_from_its_cache_in_any_pieces(book):
    model = book["modern"](7, 12, 6, 3, 2, 10, 100.0).eval()
    x = torch.randint(7, (3, 9))
    with torch.no_grad():
        whole = model(x)
        for cut in ([9], [1] * 9, [4, 1, 4], [1, 7, 1]):
            caches = [{} for _ in model.blocks]
            pieces = [model(part, caches) for part in x.split(cut, dim=1)]
            assert torch.allclose(torch.cat(pieces, 1), whole, atol=1e-5)


def test_nothing_is_made_on_another_device(book):
    x = torch.randint(7, (3, 9), device="meta")  # a device on which there are only shapes
    for model in (book["small"](7), book["modern"](7, 12, 6, 3, 2, 10, 100.0)):
        assert model.to("meta")(x).device.type == "meta"
    caches = [{} for _ in model.blocks]
    for part in x.split([4, 5], dim=1):
        assert model(part, caches).device.type == "meta"


def assigned_too_early():
    class Early(nn.Module):
        def __init__(self):
            self.E = nn.Embedding(3, 2)

    Early()


def listed_twice():
    part = nn.Linear(2, 2)
    torch.optim.AdamW([{"params": part.parameters()}, {"params": part.parameters()}])


def kept_as_an_object(tmp_path):
    torch.save({"model": nn.Linear(2, 2)}, tmp_path / "model.pt")
    torch.load(tmp_path / "model.pt")


def moved_from_meta():
    with torch.device("meta"):
        nn.Linear(2, 2).to("cpu")


SYMPTOMS = {
    "cannot assign module before Module.__init__() call": assigned_too_early,
    "index out of range in self": lambda: nn.Embedding(3, 2)(torch.tensor([3])),
    "Expected target size": lambda: F.cross_entropy(
        torch.zeros(2, 3, 5), torch.zeros(2, 3, dtype=torch.int64)
    ),
    "Missing key(s) in state_dict": lambda: nn.Linear(2, 2).load_state_dict({}),
    "some parameters appear in more than one parameter group": listed_twice,
    "Weights only load failed": kept_as_an_object,
    "size mismatch": lambda: nn.Linear(2, 3).load_state_dict(nn.Linear(3, 2).state_dict()),
    "Cannot copy out of meta tensor": moved_from_meta,
}


@pytest.mark.parametrize("message", SYMPTOMS)
def test_symptoms_are_what_pytorch_says(message, tmp_path):
    assert message in PAGE.prose
    given = [tmp_path] * SYMPTOMS[message].__code__.co_argcount
    with pytest.raises(Exception) as raised:
        SYMPTOMS[message](*given)
    assert message in str(raised.value)


def test_silent_symptoms_are_true():
    """Those in the folds that raise nothing."""

    class Lost(nn.Module):
        def __init__(self):
            super().__init__()
            self.plain, self.parts = torch.zeros(2), [nn.Linear(2, 2)]

    assert not Lost().state_dict()
    diagonal = torch.zeros(3, 3).masked_fill(torch.ones(3, 3, dtype=bool).triu(0), -torch.inf)
    assert diagonal.softmax(-1).isnan().any(-1).tolist() == [True, False, False]
    same = torch.zeros(2, 5, 5), torch.zeros(2, 5, dtype=torch.int64)
    assert F.cross_entropy(*same).isfinite()  # n equals n_characters, and nothing complains
    assert len({id(cache) for cache in [{}] * 3}) == 1
    seen = torch.tensor([[True, False], [True, True]])
    Q, K, V = torch.randn(3, 2, 4)
    assert torch.allclose(F.scaled_dot_product_attention(Q, K, V, seen)[0], V[0])  # may attend
    one = torch.full((), 100.0, requires_grad=True)
    optimizer = torch.optim.SGD([one], lr=1.0)
    (one * 50).backward()
    nn.utils.clip_grad_norm_([one], 1e-9)
    optimizer.step()
    assert one.item() == 100.0
    tied = nn.ModuleList([nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)])
    tied[1].weight = tied[0].weight
    tied.load_state_dict({"0.weight": (W := torch.ones(3, 2)), "1.weight": W}, assign=True)
    assert tied[0].weight is not tied[1].weight
    assert tied[0].weight.data_ptr() == tied[1].weight.data_ptr()
