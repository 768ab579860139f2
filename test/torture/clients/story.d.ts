/** The types of story.js, which a browser loads as it is. */
export interface StoryPlace {
  /** The official client's class, of whichever build. */
  readonly Centrifuge: unknown
  readonly url: string
  readonly token: string
  readonly tradingAccountId: string
  readonly instrumentId: string
  readonly websocket?: unknown
  readonly encode: (value: unknown) => unknown
  readonly decode: (data: never) => unknown
}
export const tellStory: (place: StoryPlace) => Promise<Readonly<Record<string, unknown>>>
export const EXPECTED: Readonly<Record<string, unknown>>
