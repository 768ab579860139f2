/**
 * One story for every place in which the official client runs: Node or a browser, JSON or Protobuf, plain or TLS. Plain JavaScript
 * without imports, because a page loads it as it is.
 *
 * @param {{ Centrifuge: any, url: string, token: string, tradingAccountId: string, instrumentId: string, websocket?: any,
 *   encode: (value: unknown) => unknown, decode: (data: any) => any }} place
 * @returns {Promise<Record<string, unknown>>} what was seen, by chapter
 */
export const tellStory = async (place) => {
  const { Centrifuge, url, token, tradingAccountId, instrumentId, encode, decode } = place
  const client = new Centrifuge(url, {
    token,
    ...(place.websocket === undefined ? {} : { websocket: place.websocket }),
    minReconnectDelay: 10,
    maxReconnectDelay: 100,
  })
  const seen = {}
  const waitFor = async (what, condition) => {
    for (const until = Date.now() + 45_000; Date.now() < until; ) {
      const found = condition()
      if (found) return found
      await new Promise((next) => setTimeout(next, 10))
    }
    throw new Error(`never happened: ${what}`)
  }

  const errors = []
  client.on("error", (context) => errors.push(String(context.error?.message ?? context)))
  let connects = 0
  client.on("connected", () => {
    connects += 1
  })

  // A book: the SNAPSHOT, then DIFFs that follow one another.
  const sequences = []
  const updates = []
  const book = client.newSubscription(`market:orderbook:${instrumentId}`)
  book.on("publication", (context) => {
    const record = decode(context.data)
    updates.push(record.updateType)
    sequences.push(record.sequence)
  })
  book.subscribe()

  // The account's events, recovered across a cut.
  const events = []
  const account = client.newSubscription(`tradingAccount:${tradingAccountId}`)
  let recoveries = 0
  account.on("subscribed", (context) => {
    if (context.wasRecovering && context.recovered) recoveries += 1
  })
  account.on("publication", (context) => events.push(decode(context.data)))
  account.subscribe()

  // A ticker as deltas.
  const tickers = []
  const ticker = client.newSubscription(`market:ticker:${instrumentId}`, { delta: "fossil" })
  ticker.on("publication", (context) => tickers.push(decode(context.data)))
  ticker.subscribe()

  client.connect()
  await client.ready(30_000)
  await Promise.all([book.ready(30_000), account.ready(30_000), ticker.ready(30_000)])
  await waitFor("ten updates of the book", () => updates.length > 10)
  await waitFor("three tickers", () => tickers.length > 3)

  const call = async (method, fields) => decode((await client.rpc(method, encode(fields))).data)
  const submitted = await call("tradeOrder.submit", {
    tradingAccountId,
    instrumentId,
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.01",
    awaitClosed: true,
  })
  seen.filled = submitted.data?.status
  const { tradeOrderId } = submitted.data
  await waitFor("the event of the fill", () =>
    events.some((event) => event.kind === "TRADE_ORDER.FILLED" && event.data.tradeOrderId === tradeOrderId),
  )

  // A cut from below, and an order while the client is away.
  const before = events.length
  client._transport?.close()
  await waitFor("the second connection", () => connects === 2)
  await call("tradeOrder.submit", {
    tradingAccountId,
    instrumentId,
    orderSide: "SELL",
    orderType: "MARKET",
    quantity: "0.01",
  })
  await waitFor("events after the cut", () =>
    events.some((event, i) => i >= before && event.kind === "TRADE_ORDER.FILLED"),
  )
  await waitFor("a recovery", () => recoveries === 1)
  const last = sequences.length
  await waitFor("the book after the cut", () => sequences.length > last + 5)

  seen.refused = await client.rpc("tradeOrder.submit", encode({ tradingAccountId })).then(
    () => "answered",
    (error) => error.code,
  )
  seen.unknownAccount = await new Promise((resolve) => {
    const other = client.newSubscription("tradingAccount:00000000-0000-4000-8000-000000000000")
    other.on("unsubscribed", (context) => resolve(context.code))
    other.on("error", () => undefined)
    other.subscribe()
  })

  const eventNumbers = events.map((event) => event.sequence)
  seen.eventGaps = eventNumbers.filter((n, i) => i > 0 && n !== eventNumbers[i - 1] + 1).length
  seen.bookGaps = sequences.filter((n, i) => i > 0 && updates[i] === "DIFF" && n !== sequences[i - 1] + 1).length
  seen.firstUpdate = updates[0]
  seen.tickersAreRecords = tickers.every((record) => record.instrumentId === instrumentId)
  seen.recoveries = recoveries
  seen.errors = errors.filter((text) => !/transport closed/.test(text))
  client.disconnect()
  return seen
}

/** What every place must have seen. */
export const EXPECTED = {
  filled: "FILLED",
  refused: 1000,
  unknownAccount: 103,
  eventGaps: 0,
  bookGaps: 0,
  firstUpdate: "SNAPSHOT",
  tickersAreRecords: true,
  recoveries: 1,
  errors: [],
}
