/**
 * Calls a callback of the bot's. The one thing to know: what it throws is the bot's affair. It is thrown as what nothing caught, so that it
 * ends a process of Node as any other mistake does; thrown into the stream it would end that for every other channel, without a word.
 */
export const told = <Args extends ReadonlyArray<unknown>>(
  callback: ((...args: Args) => void) | undefined,
  ...args: Args
): void => {
  try {
    callback?.(...args)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
