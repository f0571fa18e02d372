/**
 * How a figure grows: `y` goes with `x` to the power of `overall`, by least squares over all points in log-log, and
 * with `last` over the last step alone, where fixed costs hide least. 0: it does not grow, 1: in proportion.
 * @param {{ x: number, value: number }[]} points
 * @returns {{ overall: number, last: number } | undefined} nothing where there are not two points that have a logarithm
 */
export function growthOf(points) {
  const placed = points
    .filter(({ value }) => value > 0)
    .map(({ x, value }) => ({ x: Math.log(x), y: Math.log(value) }));
  return placed.length < 2 ? undefined : { overall: slopeOf(placed), last: slopeOf(placed.slice(-2)) };
}

function slopeOf(placed) {
  const mean = (pick) => placed.reduce((total, one) => total + pick(one), 0) / placed.length;
  const [x, y] = [mean((one) => one.x), mean((one) => one.y)];
  const covariance = mean((one) => (one.x - x) * (one.y - y));
  return covariance / mean((one) => (one.x - x) ** 2);
}

/** `n^0.97`, in words where there is nothing to raise to a power. */
export function toPower(exponent) {
  const rounded = Math.abs(exponent) < 0.005 ? 0 : exponent;
  return `n^${rounded.toFixed(2)}`;
}
