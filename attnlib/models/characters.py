"""A language model of characters: it learns a text, and continues one."""

from copy import deepcopy

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, outside, refuse_overflow
from attnlib.attention import masked
from attnlib.blocks import DecoderOnly
from attnlib.gradients import projection_vjp
from attnlib.models._training import cut
from attnlib.models.sampling import share, top_k, top_p
from attnlib.normalizers import softmax
from attnlib.parameters import Parameters
from attnlib.positions import sinusoidal
from attnlib.training import adam, cross_entropy, rate_share

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
        self.characters, self.context = "".join(sorted(set(text))), context
        self.ids = self._indices(text, "text")
        n = len(self.characters)
        self.stack = DecoderOnly.random(rng, n_blocks, d_model, n_heads, d_ff, activation="relu")
        self.E = rng.normal(0, SMALL, (n, d_model))
        self.U = rng.normal(0, d_model**-0.5, (d_model, n))
        self._begin({name: p.astype(dtype) for name, p in self.parameters().items()})

    def parameters(self):
        """List the parameters by name.

        Returns
        -------
        dict of str to ndarray
            ``"E"``, a row for each character; ``"U"``, a column for each; and those of the stack.
        """
        return {"E": self.E, "U": self.U} | self.stack.parameters()

    with_parameters = Parameters.with_parameters

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
        H, _, back = self.stack.forward(self.E[x] + self._P[: x.shape[-1]])
        loss, d_scores = cross_entropy(H @ self.U, y)
        d_H, d_U, _ = projection_vjp(d_scores, H, self.U)
        d_X, d_stack = back(d_H)
        stands = np.equal.outer(np.arange(n), x.ravel()).astype(d_X.dtype)
        d_E = stands @ d_X.reshape(x.size, -1)  # a row serves wherever its character stands
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
        self._set(new, mean, square)
        self.losses.append(loss)
        return loss

    @checked(
        steps=_checks.count,
        rate=lambda x, name: _checks.positive(x, name, np.dtype(float), "Give, say, 0.005."),
        batch=_checks.count,
        every=_checks.count,
        report=lambda x, name: x if x is None else _checks.function(x, name),
    )
    def learn(self, steps, rate=5e-3, batch=16, *, every=200, report=None):
        """Take many steps, with a rate that rises, then falls to 0, and report on the way.

        Parameters
        ----------
        steps : int
            Number of steps.  The first tenth, at most 100, warms up: the rate rises evenly to its
            full value.  Then it falls along half a cosine.
        rate : float, optional
            Learning rate, the largest of all steps; above 0.
        batch : int, optional
            Number of windows in each step.
        every : int, optional
            Number of steps between two reports.
        report : callable, optional
            ``report(step, loss)`` is told how far training is; the loss is the mean since the last
            report, in nats per character.

        Returns
        -------
        list of float
            The loss of each step.  An interrupt (Ctrl-C, or Jupyter's stop button) ends training
            early, and the list is shorter.  The model keeps the parameters after the last whole
            step; the rate has not fallen to 0 by then, as it has after fewer steps that were
            planned.

        Examples
        --------
        >>> model = CharacterModel("abc" * 20, context=8)
        >>> losses = model.learn(30, every=15, report=lambda step, loss: print(step))
        15
        30
        >>> losses[0] > 0.9 > 0.1 > losses[-1]
        True
        """
        report = report and outside(report)
        first, warm_up = len(self.losses), min(max(steps // 10, 1), 100)
        try:
            for step in range(steps):
                self.step(rate * rate_share(step, steps, warm_up), batch)
                if report and ((step + 1) % every == 0 or step + 1 == steps):
                    since = self.losses[first + step - step % every :]
                    report(step + 1, float(np.mean(since)))
        except KeyboardInterrupt:
            pass
        return self.losses[first:]

    @checked(text=_checks.string)
    def look(self, text):
        """Read the end of a text: what may come next, and which characters each head looks at.

        Parameters
        ----------
        text : str
            At least one character, all of them known; the last `context` are read.

        Returns
        -------
        logits : ndarray, shape (n_characters,)
            A score for each of `characters`; softmax makes chances of them.
        weights : ndarray, shape (n_blocks, n_heads, n)
            How much each head of each block gives, at the last character, to each that was read.
        """
        if not text:
            raise ValueError("text is empty. Give at least one character.")
        _, _, scores, weights = self._read(self._indices(text[-self.context :], "text"))
        return scores[-1], np.stack([block[:, -1] for block in weights])

    @checked(text=_checks.string, least=lambda x, name: x if x is None else _checks.count(x, name))
    def surprisal(self, text, least=None):
        r"""Say how surprising each character of a text is, in bits, given those before it.

        Parameters
        ----------
        text : str
            What to read, in known characters.
        least : int, optional
            Each character is guessed from at least so many before it, and from at most `context`;
            half the context by default.

        Returns
        -------
        ndarray, shape (len(text) - least,)
            For each character from number `least` on, its surprisal :math:`-\log_2 p`.

        Notes
        -----
        Windows of the text that overlap: in each, only characters with `least` others before them
        count, and each character counts once.
        """
        least = self.context // 2 if least is None else least
        found = []
        for windows in cut(self._indices(text, "text"), least, self.context):
            scores = self._read(windows[:, :-1])[2].astype(np.float64)
            scores -= scores.max(axis=-1, keepdims=True)
            log_sum = np.log(np.exp(scores).sum(axis=-1, keepdims=True))
            nats = log_sum - np.take_along_axis(scores, windows[:, 1:, None], axis=-1)
            found.append(nats[:, least - 1 :].ravel() / np.log(2))
        return np.concatenate(found).astype(self.E.dtype)

    @checked(
        n=_checks.count,
        temperature=_checks.not_negative,
        start=_checks.string,
        k=_checks.count,
        p=share,
    )
    def sample(self, n, temperature=0.5, start="", *, k=None, p=None):
        """Write on, one character after the other.

        Parameters
        ----------
        n : int
            Number of characters to write.
        temperature : float, optional
            What scores are divided by before softmax; 0 takes the likeliest character.
        start : str, optional
            What to go on from, in characters of the text; the text's first one if it is empty.
        k : int, optional
            Draw only from the `k` likeliest characters, as in `top_k`.
        p : float, optional
            Draw only from the likeliest that have the chance `p` together, as in `top_p`; of the
            `k` likeliest if both are given.

        Returns
        -------
        str
            The start and what was written.
        """
        written = list(self._indices(start, "start")) or [self.ids[0]]
        for _ in range(n):
            scores = self._read(np.array(written[-self.context :]))[2][-1].astype(np.float64)
            if temperature == 0:
                written.append(scores.argmax())
            else:
                if k is not None:
                    scores = masked(scores, top_k(scores, k))
                if p is not None:
                    scores = masked(scores, top_p(scores, p, temperature))
                chances = softmax(scores, temperature=temperature)
                written.append(self._of_samples.choice(len(chances), p=chances))
        return "".join(self.characters[i] for i in written)

    def _read(self, x):
        """Return items, what the stack makes of them, scores of the next characters, weights."""
        X = self.E[x] + self._P[: x.shape[-1]]
        H, weights = self.stack(X)
        return X, H, H @ self.U, weights

    def _indices(self, text, name):
        """Turn a text into indices of its characters in `characters`."""
        known = {c: i for i, c in enumerate(self.characters)}
        if unknown := [c for c in text if c not in known]:
            raise ValueError(
                f"{name} holds {unknown[0]!r}, which is not in the text that the model learns. "
                f"Give characters of that text."
            )
        return np.array([known[c] for c in text], dtype=int)

    def _set(self, new, mean, square):
        """Take other numbers for the parameters and Adam's running means, all of them at once."""
        stack = self.stack.with_parameters({name: new[name] for name in self.stack.parameters()})
        E, U = new["E"], new["U"]
        self.E, self.U, self.stack, self._mean, self._square = E, U, stack, mean, square

    def _begin(self, new):
        """Take other numbers for the parameters, without a step so far."""
        zeros = {name: np.zeros_like(p) for name, p in new.items()}
        self._set(new, zeros, zeros)
        self._P = (SMALL * sinusoidal(self.context, len(self.U))).astype(self.E.dtype)
        self.losses = []

    def _replaced(self, new, _):
        """The copy that `with_parameters` returns: no step of it has been taken yet."""
        model = deepcopy(self)
        model._begin(new)
        return model
