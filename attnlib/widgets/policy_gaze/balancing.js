// The pole, and the forward pass of attnlib.networks.balancer.
import { indices, matmul, plus } from "../shared/core.js";
import { feedForward, multiHeadAttention } from "../shared/seldom/transformer.js";

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

// The weights of the last view's query over all, and the number to push by.
export function lookAt(p, views) {
  const X = plus(matmul(views, p.W), p.P);
  const now = [X.at(-1)];
  const { output, weights } = multiHeadAttention(p.attention, now, { keysFrom: X });
  const Y = plus(now, output);
  const [[push]] = matmul(plus(Y, feedForward(p.feed_forward, Y)), p.u);
  return { weights: weights[0][0], push };
}

// An episode with these views lost, up to the fall: a state and a look for each step.
export function episode(p, lost) {
  const gone = new Set(lost);
  const views = indices(WINDOW).map(() => [0, 0, 0]);
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
