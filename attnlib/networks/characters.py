"""A language model of characters: it learns a text, and continues one."""

from copy import deepcopy

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, outside, refuse_overflow
from attnlib.blocks import DecoderOnly
from attnlib.gradients import projection_vjp
from attnlib.networks.language import SMALL, LanguageModel
from attnlib.parameters import Parameters
from attnlib.training import adam, cross_entropy, rate_share


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
    network : LanguageModel
        What it has learned: to be called, saved and loaded.
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
        characters = "".join(sorted(set(text)))
        n = len(characters)
        stack = DecoderOnly.random(rng, n_blocks, d_model, n_heads, d_ff, activation="relu")
        E, U = rng.normal(0, SMALL, (n, d_model)), rng.normal(0, d_model**-0.5, (d_model, n))
        self.network = LanguageModel(E, U, stack.blocks, characters, context, stack.norm)
        self.ids = self.network.indices(text)
        self._begin({name: p.astype(dtype) for name, p in self.parameters().items()})

    @property
    def characters(self):
        """The characters of the text, each once, in order."""
        return self.network.characters

    @property
    def context(self):
        """Number of characters that the model sees at once."""
        return self.network.context

    def parameters(self):
        """List the parameters by name.

        Returns
        -------
        dict of str to ndarray
            ``"E"``, a row for each character; ``"U"``, a column for each; and those of the stack.
        """
        return self.network.parameters()

    with_parameters = Parameters.with_parameters

    @property
    def parameter_count(self):
        """Number of numbers that training changes."""
        return self.network.parameter_count

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
        U, stack = self.network.U, self.network.stack
        H, _, back = stack.with_pullback(self.network.items(x))
        loss, d_scores = cross_entropy(H @ U, y)
        d_H, d_U, _ = projection_vjp(d_scores, H, U)
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
                f"at step {t} the numbers leave the range of {self.network.E.dtype}: the rate is "
                f"too high. Start a new model with a lower rate than {rate}."
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

    def look(self, text):
        """Read the end of a text, see `LanguageModel.look`."""
        return self.network.look(text)

    def surprisal(self, text, least=None):
        """Say how surprising each character of a text is, see `LanguageModel.surprisal`."""
        return self.network.surprisal(text, least)

    def sample(self, n, temperature=0.5, start="", *, k=None, p=None):
        """Write on, from the text's first character if there is no start.

        The arguments are those of `LanguageModel.sample`; the seed of the model decides.
        """
        if isinstance(start, str) and not start:
            start = self.characters[self.ids[0]]
        return self.network.sample(n, temperature, start, k=k, p=p, rng=self._of_samples)

    def _set(self, new, mean, square):
        """Take other numbers for the parameters and Adam's running means, all of them at once."""
        network = self.network.with_parameters(new)
        self.network, self._mean, self._square = network, mean, square

    def _begin(self, new):
        """Take other numbers for the parameters, without a step so far."""
        zeros = {name: np.zeros_like(p) for name, p in new.items()}
        self._set(new, zeros, zeros)
        self.losses = []

    def _replaced(self, new, _):
        """The copy that `with_parameters` returns: no step of it has been taken yet."""
        model = deepcopy(self)
        model._begin(new)
        return model
