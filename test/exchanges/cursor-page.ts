/** Pages of a list that comes newest first, and grows at its head while it is read. */

/** What a page's cursor says: so many rows were left behind it. `left` null: the first page. */
export const pageAfter = <R>(
  rows: ReadonlyArray<R>,
  left: number | null,
  most: number,
): { readonly page: ReadonlyArray<R>; readonly left: number } => {
  const start = Math.max(0, rows.length - (left ?? rows.length))
  const page = rows.slice(start, start + most)
  return { page, left: rows.length - start - page.length }
}
