/** How long a loop waits after its nth failure in a row: doubling from 100 ms to 10 s, ±20 % so that loops do not march in step. */
export const backoffMillis = (failures: number): number =>
  Math.min(100 * 2 ** Math.min(failures - 1, 7), 10_000) * (0.8 + Math.random() * 0.4)
