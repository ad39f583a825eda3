"""Ring attention: one long sequence, dealt out to several processes, none of which holds all of it.

Start it with one process for each core of this machine; it needs PyTorch:

    python -m torch.distributed.run --standalone --local-addr localhost --nproc-per-node 4 \\
        -m attnlib.ring -n 4096 --heads 8 -d 64 --causal
"""

from attnlib._extras import needs

needs("torch", "torch")

from attnlib.ring.attention import Report, ring_attention
from attnlib.ring.layout import bytes_sent, pairs_per_step, shard, unshard

__all__ = ["Report", "bytes_sent", "pairs_per_step", "ring_attention", "shard", "unshard"]
