/** Where the main thread sees that this one works, however late it answers: a count in memory that both have. */

let done: Int32Array | undefined

export const countWorkIn = (buffer: SharedArrayBuffer): void => {
  done = new Int32Array(buffer)
}

/** Called with every frame of a venue; in the main thread it does nothing. */
export const hasWorked = (): void => {
  if (done !== undefined) Atomics.add(done, 0, 1)
}
