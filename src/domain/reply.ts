/** The one-shot answer to a message: the first of `ok` and `fail` counts, later calls do nothing. */
export interface Reply<in A, in E> {
  readonly ok: (answer: A) => void
  readonly fail: (error: E) => void
}
