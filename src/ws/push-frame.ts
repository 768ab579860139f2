/** The JSON text of pushes. What is constant for a channel is built when the channel opens; a publication only adds its own text. */

/** `{"push":{"channel":"…","pub":{"data":` */
export const publicationPrefix = (channel: string): string =>
  `{"push":{"channel":${JSON.stringify(channel)},"pub":{"data":`

/** `json` must not hold a raw newline: frames are split by it. Offset 0 is left out, as the protocol omits zero values. */
export const publicationFrame = (prefix: string, json: string, offset: number): string =>
  offset > 0 ? `${prefix}${json},"offset":${offset}}}}` : `${prefix}${json}}}}`

export const unsubscribeFrame = (channel: string, reason: { readonly code: number; readonly reason: string }): string =>
  `{"push":{"channel":${JSON.stringify(channel)},"unsubscribe":{"code":${reason.code},"reason":"${reason.reason}"}}}`
