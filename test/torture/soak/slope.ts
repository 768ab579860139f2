/** How fast a figure grows: the straight line of least squares through what was measured. */

export interface Point {
  readonly minutes: number
  readonly value: number
}

/** Per minute; 0 for fewer than two points. */
export const slopeOf = (points: ReadonlyArray<Point>): number => {
  const n = points.length
  const mean = (of: (point: Point) => number): number => points.reduce((sum, point) => sum + of(point), 0) / n
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ value }) => value)]
  const across = points.reduce((sum, { minutes, value }) => sum + (minutes - x) * (value - y), 0)
  const spread = points.reduce((sum, { minutes }) => sum + (minutes - x) ** 2, 0)
  return spread === 0 || n < 2 ? 0 : across / spread
}
