"""Ring attention: one long sequence, dealt out to several processes, none of which holds all of it.

Start it with one process for each core, or for each GPU, of this machine:

    python -m torch.distributed.run --standalone --local-addr localhost --nproc-per-node 4 \\
        -m attnlib.ring -n 4096 --heads 8 -d 64 --causal --layout striped

Where a process fails, the line that begins with "attnlib.ring:" says why.  It needs PyTorch.
"""

from attnlib.ring.attention import Report, ring_attention
from attnlib.ring.counts import bytes_sent, pairs_per_step
from attnlib.ring.layout import shard, unshard

__all__ = ["Report", "bytes_sent", "pairs_per_step", "ring_attention", "shard", "unshard"]
