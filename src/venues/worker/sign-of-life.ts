/** How the main thread sees that this one is alive, however late it responds: a counter in shared memory. */

let done: Int32Array | undefined

export const countWorkIn = (buffer: SharedArrayBuffer): void => {
  done = new Int32Array(buffer)
}

/** Called with every frame of a venue; in the main thread it does nothing. */
export const hasWorked = (): void => {
  if (done !== undefined) Atomics.add(done, 0, 1)
}
