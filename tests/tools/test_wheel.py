"""The wheel holds the package with its data, and no test."""

from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]


def test_wheel_holds_everything_but_tests():
    packed = {file.relative_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    files = {str(p.relative_to(ROOT)) for p in (ROOT / "attnlib").rglob("*") if p.is_file()}
    assert packed == {name for name in files if "__pycache__" not in name and "/test_" not in name}
    assert len([name for name in packed if name.endswith((".js", ".css", ".json", ".ttf"))]) > 50
