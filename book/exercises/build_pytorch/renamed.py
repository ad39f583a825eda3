"""From a file's names to those of one's own class."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.showing import describe, listed

from .copying import written
from .rotary import angles, turned

D, HEADS, GROUPS, D_FF, TOKENS, BASE, EPSILON = 4, 2, 1, 6, 7, 100.0, 1e-5
BLOCK = {
    "attn_norm": (D,),
    "attn_q": (D, D),
    "attn_k": (D // HEADS * GROUPS, D),
    "attn_v": (D // HEADS * GROUPS, D),
    "attn_output": (D, D),
    "ffn_norm": (D,),
    "ffn_gate": (D_FF, D),
    "ffn_up": (D_FF, D),
    "ffn_down": (D, D_FF),
}
#: A part of a block in the file -> its name in the class.
OURS = {
    "attn_norm": "norm_1.gain",
    "attn_q": "heads.W_Q.weight",
    "attn_k": "heads.W_K.weight",
    "attn_v": "heads.W_V.weight",
    "attn_output": "heads.W_O.weight",
    "ffn_norm": "norm_2.gain",
    "ffn_gate": "network.W_gate.weight",
    "ffn_up": "network.W_1.weight",
    "ffn_down": "network.W_2.weight",
}


def shapes(n_blocks):
    """The shape of each tensor of the file, by name."""
    found = {"token_embd.weight": (TOKENS, D)}
    for i in range(n_blocks):
        found |= {f"blk.{i}.{name}.weight": shape for name, shape in BLOCK.items()}
    return found | {"output_norm.weight": (D,)}


def tensors(numbers, n_blocks):
    """The tensors of the file, cut out of one row of numbers."""
    found, at = {}, 0
    for name, shape in shapes(n_blocks).items():
        size = int(np.prod(shape))
        found[name] = numbers[at : at + size].reshape(shape)
        at += size
    return found


def norm(X, gain):
    return gain * X / np.sqrt((X**2).mean(axis=-1, keepdims=True) + EPSILON)


def logits(x, file, n_blocks):
    """What a model with the tensors of the file says."""
    E = file["token_embd.weight"]
    X = E[x]
    for i in range(n_blocks):
        b = {name: file[f"blk.{i}.{name}.weight"] for name in BLOCK}
        N = norm(X, b["attn_norm"])
        Q = np.swapaxes((N @ b["attn_q"].T).reshape(*N.shape[:-1], HEADS, -1), -3, -2)
        K, V = (N @ b["attn_k"].T)[..., None, :, :], (N @ b["attn_v"].T)[..., None, :, :]
        Q, K = (turned(A, angles(A, 0, BASE)) for A in (Q, K))
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(D // HEADS)
        A = softmax(np.where(np.tri(len(N), dtype=bool), scores, -np.inf)) @ V
        X = X + np.swapaxes(A, -3, -2).reshape(X.shape) @ b["attn_output"].T
        N = norm(X, b["ffn_norm"])
        gate = N @ b["ffn_gate"].T
        X = X + (gate / (1 + np.exp(-gate)) * (N @ b["ffn_up"].T)) @ b["ffn_down"].T
    return norm(X, file["output_norm.weight"]) @ E.T


def renamed(x, numbers, n_blocks):
    """The logits of the tokens x."""
    return logits(x, tensors(numbers, n_blocks), n_blocks)


def adapt(answer):
    import torch

    def renamed(x, numbers, n_blocks):
        file = {n: torch.tensor(A) for n, A in tensors(numbers, n_blocks).items()}
        # The order of a file is nothing to rely on.
        file = {name: file[name] for name in sorted(file, key=lambda n: n.startswith("blk."))}
        given = dict(file)
        state = written(answer)(given)
        if state is None or state is Ellipsis:
            return state
        if not isinstance(state, dict):
            raise Misfit("It should return a dict: the names of the class -> tensors.")
        if other := [name for name, A in state.items() if not isinstance(A, torch.Tensor)]:
            raise Misfit(
                f"{other[0]} is {describe(state[other[0]])}. load_state_dict takes tensors: hand "
                "on those of the file as they are."
            )
        if len(state) and (given.keys() != file.keys()):
            raise Misfit(
                "It changes the dict that it is given. Whoever calls it loses the file's tensors: "
                "put what you make into a dict of your own."
            )
        back = {"embed.weight": "token_embd.weight", "norm.gain": "output_norm.weight"}
        for i in range(n_blocks):
            back |= {f"blocks.{i}.{our}": f"blk.{i}.{name}.weight" for name, our in OURS.items()}
        wanted = {**back, "U.weight": "token_embd.weight"}
        if more := [name for name in state if name not in wanted]:
            raise Misfit(f"The class has no {listed(more[:3])}. Its names are those of the task.")
        if missing := [name for name in wanted if name not in state]:
            tied = missing == ["U.weight"]
            why = " The file has one matrix for both ends: U.weight is that of the embedding."
            raise Misfit(f"The class also wants {listed(missing[:3])}.{why * tied}")
        read = {}
        for name, theirs in back.items():
            A = np.asarray(state[name].detach(), dtype=float)
            if A.shape != (shape := shapes(n_blocks)[theirs]):
                turn = comes_from(A, theirs, file)
                raise Misfit(f"{name} has shape {A.shape}, and should have {shape}.{turn}")
            read[theirs] = A
        if not torch.equal(state["U.weight"], state["embed.weight"]):
            raise Misfit("U.weight is another matrix than embed.weight. The file has one.")
        return logits(x, read, n_blocks)

    return renamed


def comes_from(A, theirs, file):
    """Which tensor of the file an array is that should be ``theirs``; empty if none."""
    arrays = {name: tensor.numpy() for name, tensor in file.items()}
    if A.shape == arrays[theirs].T.shape and np.allclose(A, arrays[theirs].T):
        return " It is transposed."
    for name, B in arrays.items():
        if A.shape == B.shape and np.allclose(A, B):
            return f" It holds the file's {name}."
        if A.shape == B.T.shape and np.allclose(A, B.T):
            return f" It holds the file's {name}, transposed."
    return ""


def changed(x, numbers, n_blocks, change):
    """The logits where `change` has set something else in the place of some tensors."""
    file = tensors(numbers, n_blocks)
    return logits(x, file | change(file, n_blocks), n_blocks)


def exchanged(*pairs):
    """Two parts of each block in each other's place."""

    def change(file, n_blocks):
        found = {}
        for i in range(n_blocks):
            for a, b in pairs:
                a, b = (f"blk.{i}.{name}.weight" for name in (a, b))
                found |= {a: file[b], b: file[a]}
        return found

    return change


def transposed(*names):
    def change(file, n_blocks):
        whole = [f"blk.{i}.{name}.weight" for i in range(n_blocks) for name in names]
        return {name: file[name].T for name in whole}

    return change


def block_of(which):
    """Each block has the tensors of another, ``which(i, n_blocks)``."""

    def change(file, n_blocks):
        return {
            f"blk.{i}.{name}.weight": file[f"blk.{which(i, n_blocks)}.{name}.weight"]
            for i in range(n_blocks)
            for name in BLOCK
        }

    return change


def last_norm(part):
    """The norm at the end is one of the last block."""

    def change(file, n_blocks):
        return {"output_norm.weight": file[f"blk.{n_blocks - 1}.{part}.weight"]}

    return change


def case(kind, x, n_blocks):
    size = sum(int(np.prod(shape)) for shape in shapes(n_blocks).values())
    return Case(kind, (np.array(x), draw((size,))[0], n_blocks))


CASES = (
    case("one block", [3, 1, 4], 1),
    case("two blocks", [6, 0, 2, 2], 2),
    case("twelve blocks", [5, 1, 3], 12),
)
