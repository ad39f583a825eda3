"""A language model of characters: it learns a text, and continues one."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, refuse_overflow
from attnlib.blocks import DecoderOnly
from attnlib.gradients import decoder_only_vjp, projection_vjp
from attnlib.models._training import adam, cross_entropy
from attnlib.normalizers import softmax
from attnlib.positions import sinusoidal

SMALL = 0.3  # items that begin small are moved far by the first steps


class CharacterModel:
    r"""Learn to tell the next character of a text from those before it, and write on.

    Parameters
    ----------
    text : str
        What to learn, in any alphabet; at least one character longer than the context.
    d_model, n_heads, n_blocks, d_ff : int, optional
        As for `DecoderOnly.random`; the norms come first, and the network has relu.
    context : int, optional
        Number of characters that the model sees at once.
    seed : int, optional
        Seed of the start, of the batches and of the samples.  Samples do not change training.
    dtype : {"float32", "float64"}, optional
        Type of all its numbers.

    Attributes
    ----------
    characters : str
        The characters of the text, each once, in order.
    ids : ndarray of int, shape (len(text),)
        The text as indices into `characters`.
    losses : list of float
        The loss of each step so far, in nats per character.

    Notes
    -----
    An item is the learned row of its character and the sinusoids of its position, counted from
    the first character in sight, both 0.3 times a usual size at the start.  A decoder-only stack
    (Radford et al. 2019) and a matrix make scores of them, one for each character that may follow:

    .. math:: X_t = E_{c_t} + 0.3 \, P_t, \qquad
              p_t = \mathrm{softmax}(\mathrm{stack}(X)_t \, U), \qquad
              \mathrm{loss} = -\frac{1}{n} \sum_{t=1}^{n} \ln p_t(c_{t+1})

    Its derivative with respect to the scores is :math:`p_t`, less 1 at the character that did
    follow, divided by n.  From there the gradients of the book lead back to all parameters, and
    Adam moves them (Kingma and Ba 2015).

    Examples
    --------
    Three characters in turn are guessed by chance with a loss of ln 3, and are soon learned.

    >>> model = CharacterModel("abc" * 20, context=8)
    >>> losses = [model.step() for _ in range(30)]
    >>> losses[0] > 0.9 > 0.1 > losses[-1]
    True
    >>> model.sample(5, temperature=0, start="ca")
    'cabcabc'
    """

    @checked(
        text=_checks.string,
        d_model=_checks.count,
        n_heads=_checks.count,
        n_blocks=_checks.count,
        d_ff=_checks.count,
        context=_checks.count,
        seed=lambda x, name: _checks.count(x, name, least=0),
        dtype=lambda x, name: _checks.choice(x, name, ("float32", "float64")),
    )
    def __init__(
        self,
        text,
        *,
        d_model=32,
        n_heads=2,
        n_blocks=1,
        d_ff=None,
        context=32,
        seed=0,
        dtype="float32",
    ):
        if len(text) <= context:
            raise ValueError(
                f"text has {len(text)} characters, but with context={context} it needs at least "
                f"{context + 1}. Give a longer text or a smaller context."
            )
        rng = np.random.default_rng(seed)
        self._of_batches, self._of_samples = rng.spawn(2)
        self.characters, self.context, self.losses = "".join(sorted(set(text))), context, []
        self.ids = self._indices(text, "text")
        n = len(self.characters)
        self.stack = DecoderOnly.random(rng, n_blocks, d_model, n_heads, d_ff, activation="relu")
        self.E = rng.normal(0, SMALL, (n, d_model))
        self.U = rng.normal(0, d_model**-0.5, (d_model, n))
        self._set({name: p.astype(dtype) for name, p in self.parameters().items()})
        self._P = (SMALL * sinusoidal(context, d_model)).astype(dtype)
        self._mean = {name: np.zeros_like(p) for name, p in self.parameters().items()}
        self._square = dict(self._mean)

    def parameters(self):
        """List the parameters by name.

        Returns
        -------
        dict of str to ndarray
            ``"E"``, a row for each character; ``"U"``, a column for each; and those of the stack.
        """
        return {"E": self.E, "U": self.U} | self.stack.parameters()

    @property
    def parameter_count(self):
        """Number of numbers that training changes."""
        return sum(p.size for p in self.parameters().values())

    @property
    def baselines(self):
        """Losses of two ways to guess the text's characters, in nats per character.

        ``"evenly"`` gives all characters the same chance, ``"by_frequency"`` each its share of
        the text.
        """
        share = np.bincount(self.ids) / len(self.ids)
        entropy = share @ np.log(1 / share)
        return {"evenly": float(np.log(len(share))), "by_frequency": float(entropy)}

    @checked(x=_checks.integers, y=_checks.integers)
    def gradients(self, x, y):
        """Find the loss, and its derivative with respect to every parameter.

        Parameters
        ----------
        x : array_like of int, shape (..., n)
            Characters, as indices into `characters`; n is at most the context.
        y : array_like of int, shape (..., n)
            The character that follows each of them.

        Returns
        -------
        loss : float
            Mean over all characters that follow, in nats per character.
        gradients : dict of str to ndarray
            One for each name in `parameters`, of the same shape.
        """
        n = len(self.characters)
        if not x.size or x.shape != y.shape or x.ndim == 0 or x.shape[-1] > self.context:
            raise ValueError(
                f"x has shape {x.shape} and y has shape {y.shape}. Give both the same, with a last "
                f"axis from 1 to context={self.context}."
            )
        if not 0 <= min(x.min(), y.min()) <= max(x.max(), y.max()) < n:
            raise ValueError(f"x and y must hold indices into characters, from 0 to {n - 1}.")
        X, H, scores = self._scores(x)
        loss, d_scores = cross_entropy(scores, y)
        d_H, d_U, _ = projection_vjp(d_scores, H, self.U)
        d_X, d_stack = decoder_only_vjp(d_H, self.stack, X)
        d_E = np.zeros_like(self.E)
        np.add.at(d_E, x, d_X)  # a character's row serves wherever the character stands
        return loss, {"E": d_E, "U": d_U} | d_stack.parameters()

    @checked(
        rate=lambda x, name: _checks.positive(x, name, np.dtype(float), "Give, say, 0.003."),
        batch=_checks.count,
    )
    def step(self, rate=3e-3, batch=16):
        """Take one step of Adam, on windows of the text drawn by chance.

        Parameters
        ----------
        rate : float, optional
            Learning rate, about how far a step moves each number; above 0.
        batch : int, optional
            Number of windows.

        Returns
        -------
        float
            The loss on these windows before the step, in nats per character.

        Raises
        ------
        ValueError
            If numbers leave the range of their type because the rate is too high.  The parameters
            stay as they were.
        """
        starts = self._of_batches.integers(len(self.ids) - self.context, size=batch)
        windows = self.ids[starts[:, None] + np.arange(self.context + 1)]
        t, mean, square, new = len(self.losses) + 1, {}, {}, {}
        try:
            loss, gradients = self.gradients(windows[:, :-1], windows[:, 1:])
            for name, p in self.parameters().items():
                new[name], mean[name], square[name] = adam(
                    p, gradients[name], self._mean[name], self._square[name], t, rate
                )
            refuse_overflow(tuple(new.values()), "a parameter")
        except ValueError as overflow:
            raise ValueError(
                f"at step {t} the numbers leave the range of {self.E.dtype}: the rate is too high. "
                f"Start a new model with a lower rate than {rate}."
            ) from overflow
        self._set(new)
        self._mean, self._square = mean, square
        self.losses.append(loss)
        return loss

    @checked(n=_checks.count, temperature=_checks.not_negative, start=_checks.string)
    def sample(self, n, temperature=0.5, start=""):
        """Write on, one character after the other.

        Parameters
        ----------
        n : int
            Number of characters to write.
        temperature : float, optional
            What scores are divided by before softmax; 0 takes the likeliest character.
        start : str, optional
            What to go on from, in characters of the text; the text's first one if it is empty.

        Returns
        -------
        str
            The start and what was written.
        """
        written = list(self._indices(start, "start")) or [self.ids[0]]
        for _ in range(n):
            scores = self._scores(np.array(written[-self.context :]))[2][-1].astype(np.float64)
            if temperature == 0:
                written.append(scores.argmax())
            else:
                p = softmax(scores, temperature=temperature)
                written.append(self._of_samples.choice(len(p), p=p))
        return "".join(self.characters[i] for i in written)

    def _scores(self, x):
        """Return items, what the stack makes of them, and scores of the next characters."""
        X = self.E[x] + self._P[: x.shape[-1]]
        H, _ = self.stack(X)
        return X, H, H @ self.U

    def _indices(self, text, name):
        """Turn a text into indices of its characters in `characters`."""
        known = {c: i for i, c in enumerate(self.characters)}
        if unknown := [c for c in text if c not in known]:
            raise ValueError(
                f"{name} holds {unknown[0]!r}, which is not in the text that the model learns. "
                f"Give characters of that text."
            )
        return np.array([known[c] for c in text], dtype=int)

    def _set(self, new):
        """Take other numbers for the parameters, given by name."""
        self.E, self.U = new["E"], new["U"]
        self.stack = self.stack.with_parameters({k: new[k] for k in self.stack.parameters()})
