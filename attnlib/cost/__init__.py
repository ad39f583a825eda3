"""What attention costs: operations and bytes by step, the least time, fitted exponents."""

from attnlib.cost.attention import AttentionCost, attention_cost
from attnlib.cost.block import BlockCost, block_cost
from attnlib.cost.counts import Cost, Step
from attnlib.cost.exponents import fit_exponent
from attnlib.cost.growth import Growth
from attnlib.cost.roofline import Ceilings, roofline_terms, roofline_time

__all__ = [
    "AttentionCost",
    "BlockCost",
    "Ceilings",
    "Cost",
    "Growth",
    "Step",
    "attention_cost",
    "block_cost",
    "fit_exponent",
    "roofline_terms",
    "roofline_time",
]
