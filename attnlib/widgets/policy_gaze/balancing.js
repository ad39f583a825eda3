// The pole, and the forward pass of attnlib.networks.Balancer.
import { dot, softmax } from "../shared/core.js";

export const STEPS = 100;
export const WINDOW = 16;
const START = [0, 0.1, 0.03, -0.1];
const [GRAVITY, CART, POLE, HALF, FORCE, TAU] = [9.8, 1, 0.1, 0.5, 10, 0.02];
const [WIDEST, STEEPEST] = [2.4, (12 * Math.PI) / 180];

function step([x, v, angle, spin], right) {
  const [mass, sin, cos] = [CART + POLE, Math.sin(angle), Math.cos(angle)];
  const pushed = ((right ? FORCE : -FORCE) + POLE * HALF * spin ** 2 * sin) / mass;
  const turned = (GRAVITY * sin - cos * pushed) / (HALF * (4 / 3 - (POLE * cos ** 2) / mass));
  const moved = pushed - (POLE * HALF * turned * cos) / mass;
  return [x + TAU * v, v + TAU * moved, angle + TAU * spin, spin + TAU * turned];
}

function times(x, W, y = new Array(W[0].length).fill(0)) {
  const sum = [...y];
  x.forEach((value, i) => W[i].forEach((w, j) => (sum[j] += value * w)));
  return sum;
}

const plus = (a, b) => a.map((x, i) => x + b[i]);

// The weights of the last view's query over all, and the number to push by.
export function lookAt(p, views) {
  const X = views.map((view, j) => times(view, p.W, p.P[j]));
  const now = X.at(-1);
  const q = times(now, p.W_Q, p.b_Q[0]);
  const scores = X.map((row) => dot(q, times(row, p.W_K)) / Math.sqrt(now.length));
  const weights = softmax(scores);
  const mixed = now.map((_, i) => weights.reduce((sum, w, j) => sum + w * X[j][i], 0));
  const Y = plus(now, times(times(mixed, p.W_V), p.W_O));
  const hidden = times(Y, p.W_1, p.b[0]).map((x) => Math.max(x, 0));
  return { weights, push: times(plus(Y, times(hidden, p.W_2)), p.u)[0] };
}

// An episode with these views lost, up to the fall: a state and a look for each step.
export function episode(p, lost) {
  const gone = new Set(lost);
  const views = Array.from({ length: WINDOW }, () => [0, 0, 0]);
  const states = [];
  const looks = [];
  let state = START;
  for (let t = 0; t < STEPS; t += 1) {
    states.push(state);
    views.shift();
    views.push(gone.has(t) ? [0, 0, 0] : [state[0], 10 * state[2], 1]);
    const look = lookAt(p, views);
    looks.push(look);
    state = step(state, look.push > 0);
    if (Math.abs(state[0]) > WIDEST || Math.abs(state[2]) > STEEPEST) break;
  }
  return { states, looks };
}
