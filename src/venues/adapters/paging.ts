/** How a venue's lists are read to their end, as plain data of its profile; `worker/session/pages.ts` reads by it. */

interface Sized {
  /** Rows that it gives at most, and is asked for. */
  readonly size: number
  /** It goes by this parameter; absent: by ccxt's `limit`. */
  readonly sizeParam?: string
  /** Further parameters of every page. */
  readonly params?: Readonly<Record<string, string | number | boolean>>
  /** It answers for so long from the start that it is asked for, ms: the next question starts where this one ends. */
  readonly windowMillis?: number
  /**
   * What the last page is known by. SHORT: fewer rows than `size`. EMPTY: nothing new, where rows are taken out of a page before they
   * are seen, or the venue's word on its page size is not proven.
   */
  readonly last: "SHORT" | "EMPTY"
}

export type Paging =
  /** One answer has all rows. */
  | { readonly way: "WHOLE" }
  /** Oldest first: `param` is the next id. */
  | (Sized & { readonly way: "AFTER_ID"; readonly param: string })
  /** Oldest first: since the time of the newest row, which comes once more. */
  | (Sized & {
      readonly way: "AFTER_TIME"
      /** It goes by whole seconds: what it gives of the second before the time would be taken out of a full page. */
      readonly inSeconds?: true
    })
  /** Newest first: `param` is the smallest id of the page, in `field` of the venue's own row, or ccxt's where absent. */
  | (Sized & { readonly way: "BEFORE_ID"; readonly param: string; readonly field?: string })
  /** Newest first: `param` is a time just after the oldest row's, which comes once more. */
  | (Sized & { readonly way: "BEFORE_TIME"; readonly param: string; readonly as: "ISO" | "MILLIS" })
  /** `param` is what a row of the page carries in `field`; without it, or without rows, the page was the last. */
  | (Omit<Sized, "last"> & { readonly way: "CURSOR"; readonly param: string; readonly field: string })
  /** Newest first: `param` is the number of rows before the page. */
  | (Sized & { readonly way: "OFFSET"; readonly param: string })
  /** Newest first: `param` counts pages, from 1. */
  | (Sized & { readonly way: "NUMBER"; readonly param: string })

/** Each page is older than the one before. */
export const isNewestFirst = ({ way }: Paging): boolean => way !== "WHOLE" && way !== "AFTER_ID" && way !== "AFTER_TIME"

/** A list that is asked for the whole account, or market by market. */
export interface ListPaging {
  readonly of: "ACCOUNT" | "INSTRUMENT"
  readonly paging: Paging
}

/** Orders that are over. `starts`: from the oldest one's id, or its creation. */
export interface EndedOrders {
  readonly of: "ACCOUNT" | "INSTRUMENT"
  readonly lists: ReadonlyArray<
    "fetchOrders" | "fetchClosedOrders" | "fetchCanceledOrders" | "fetchCanceledAndClosedOrders"
  >
  readonly starts: "ID" | "CREATION"
  readonly paging: Paging
}

/** Where a list goes on; plain data, because it crosses threads and is kept with the account. */
export interface PageCursor {
  /** Venue ms. */
  readonly since: number | null
  /** Of the venue's way: an id, a cursor, a count; null on the first page of a window. */
  readonly at: string | null
  /** The first row of the page before: the same once more means that the venue does not page. */
  readonly first: string | null
}
