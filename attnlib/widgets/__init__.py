"""The book's widgets: alive in Jupyter with a kernel, and in the built page without one."""

from attnlib.widgets.base import STATE_MIME, BookWidget
from attnlib.widgets.query_plane import QueryPlane
from attnlib.widgets.questions import NumberQuestion, Quiz
from attnlib.widgets.scaling_lab import ScalingLab
from attnlib.widgets.signal_weights import SignalWeights

__all__ = [
    "STATE_MIME",
    "BookWidget",
    "NumberQuestion",
    "QueryPlane",
    "Quiz",
    "ScalingLab",
    "SignalWeights",
]
