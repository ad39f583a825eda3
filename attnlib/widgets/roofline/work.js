// What naive and fused attention have to do, and how near to the roof it lets them come. In
// Python: attnlib.cost.attention_cost and attnlib.cost.roofline_terms.
import { leastTime } from "../shared/amounts.js";

export const MOST = 2 ** 17;
export const WAYS = ["naive", "fused"];

// FLOPs, bytes and exponentials of both ways, for n items. Naive attention computes what a mask
// forbids, and applies the mask in two passes more.
export function attention(n, { d, n_heads: heads, itemsize, passes, causal }) {
  const pairs = heads * n * n;
  const allowed = causal ? (heads * n * (n + 1)) / 2 : pairs;
  const items = 4 * heads * n * d;
  const ways = {
    naive: {
      flops: 4 * pairs * d,
      bytes: itemsize * ((causal ? passes + 2 : passes) * pairs + items),
      exponentials: pairs,
    },
    fused: { flops: 4 * allowed * d, bytes: itemsize * items, exponentials: allowed },
  };
  for (const way of Object.values(ways)) way.intensity = way.flops / way.bytes;
  return ways;
}

// The intensity that naive attention comes near to and never reaches, however many items.
export function mostIntensity({ d, itemsize, passes, causal }) {
  return (4 * d) / (itemsize * (causal ? passes + 2 : passes));
}

// The number of items, which need not be whole, whose fused attention has this intensity.
export function itemsOf(intensity, { itemsize, causal }) {
  return causal ? 2 * itemsize * intensity - 1 : itemsize * intensity;
}

// The rates that count: exponentials are free unless they are counted.
export function machineOf(state) {
  const { flops_per_s, bytes_per_s, exponentials_per_s, exponentials } = state;
  return {
    flops_per_s,
    bytes_per_s,
    exponentials_per_s: exponentials ? exponentials_per_s : Infinity,
  };
}

// The most FLOPs in a second that the exponentials allow: there is one for every 4d FLOPs.
export function thirdRoof(state) {
  return 4 * state.d * machineOf(state).exponentials_per_s;
}

// Both ways with their terms, their least seconds, what decides them, and the rate they allow.
export function placed(n, state) {
  const ways = attention(n, state);
  for (const way of Object.values(ways)) {
    Object.assign(way, leastTime(way, machineOf(state)));
    way.rate = way.flops / way.seconds;
  }
  return ways;
}
