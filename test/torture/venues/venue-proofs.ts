/**
 * What is proven of each venue's orders, as a table of venue and scenario: which named tests show it. A row of `venues.ts` counts those that passed.
 */

import {
  binance,
  binanceAccount,
  bitfinex,
  bitstamp,
  bybit,
  coinbase,
  deribit,
  futures,
  gate,
  gemini,
  kraken,
  krakenAccount,
  kucoin,
  okx,
  session,
  usdm,
  worker,
} from "./proof-files.ts"

/** By the start of a test's own name, in its file under test/integration. */
interface Proof {
  readonly file: string
  readonly test: string
}

export const PROVEN_VENUES = [
  "BINANCE",
  "OKX",
  "KRAKEN",
  "BYBIT",
  "COINBASE",
  "BINANCEUSDM",
  "KUCOIN",
  "GATE",
  "KRAKENFUTURES",
  "BITSTAMP",
  "BITFINEX",
  "GEMINI",
  "DERIBIT",
] as const
type Proven = (typeof PROVEN_VENUES)[number]

/** Of test/integration/venues/order-socket-scenarios.ts. */
const OVER_SOCKET = [
  "sends them, and their cancels, as requests while the socket is away",
  "answers each order with its own answer",
  "leaves an order in doubt whose answer comes too late",
  "gives up a socket that is lost before it answers",
  "leaves a submit in doubt when it dies with it",
]

const of = (file: string, ...tests: ReadonlyArray<string>): ReadonlyArray<Proof> =>
  tests.map((test) => ({ file, test }))

type Rows<Row> = Partial<Record<Proven, Row>>

/** Those whose tests have the same names in files of the same kinds; a row of its own says where one has others, or more. */
const ALIKE = {
  OKX: okx,
  BYBIT: bybit,
  COINBASE: coinbase,
  BINANCEUSDM: usdm,
  KUCOIN: kucoin,
  GATE: gate,
  KRAKENFUTURES: futures,
  BITSTAMP: bitstamp,
  BITFINEX: bitfinex,
  GEMINI: gemini,
  DERIBIT: deribit,
} as const satisfies Rows<object>

type Files = Readonly<Record<"orders" | "outcomes" | "session" | "gateway", string>>

const alike = (shown: (files: Files) => ReadonlyArray<Proof>): Rows<ReadonlyArray<Proof>> =>
  Object.fromEntries(Object.entries(ALIKE).map(([venue, files]) => [venue, shown(files)]))

/** Absent: no test of that venue shows it. */
export const PROOFS: Readonly<Record<string, Rows<ReadonlyArray<Proof>>>> = {
  submit: {
    ...alike(({ orders }) => of(orders, "is placed under our own id")),
    BINANCE: of(session, "places a limit order under our own id"),
    OKX: of(okx.orders, "places a limit order under our own id"),
    KRAKEN: of(kraken, "places a limit order under our own id"),
  },
  replay: {
    ...alike(({ outcomes }) => of(outcomes, "is in doubt when the venue knows our id already")),
    BINANCE: of(session, "is in doubt when the venue knows our id already"),
    KRAKEN: of(kraken, "never makes two orders of one id"),
    COINBASE: of(coinbase.outcomes, "makes no second order when the venue knows our id already"),
    BITFINEX: of(
      bitfinex.outcomes,
      "is in doubt when the venue knows our id already",
      "is in doubt when its nonce is refused",
    ),
    // Nothing there keeps an id unique: what was sent once is asked for, and never sent again.
    DERIBIT: of(deribit.outcomes, "is in doubt after", "is found by its label though another program's order"),
  },
  cancel: {
    ...alike(({ orders }) => of(orders, "is cancelled by our id and by the venue's", "that is cancelled after a part")),
    BINANCE: of(session, "cancels by our id and by the venue's"),
    OKX: of(okx.orders, "cancels by our id and by the venue's"),
    KRAKEN: of(kraken, "cancels by our id and by the venue's"),
    GEMINI: of(gemini.orders, "is cancelled by the venue's id in one request", "that is cancelled after a part"),
    DERIBIT: [
      ...of(deribit.orders, "is cancelled by the venue's id in one request", "that is cancelled after a part"),
      ...of(deribit.outcomes, "leaves its cancel in doubt after"),
    ],
  },
  "late fill after cancel": {
    // BINANCE, BINANCEUSDM, DERIBIT, GATE, KRAKEN and KRAKENFUTURES answer a cancel when it is carried out.
    BINANCE: of(session, "says what was executed before it says"),
    OKX: [
      ...of(okx.orders, "never takes the acknowledgement of a cancel"),
      ...of(okx.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    BYBIT: [
      ...of(bybit.orders, "never takes the acknowledgement of a cancel"),
      ...of(bybit.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    COINBASE: [
      ...of(coinbase.orders, "never takes the acknowledgement of a cancel"),
      ...of(coinbase.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    BINANCEUSDM: of(usdm.orders, "says what was executed before it says"),
    KUCOIN: [
      ...of(kucoin.orders, "never takes the acknowledgement of a cancel"),
      ...of(kucoin.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    GATE: of(gate.orders, "says what was executed before it says"),
    KRAKENFUTURES: of(futures.orders, "says what was executed before it says"),
    BITSTAMP: [
      ...of(bitstamp.orders, "never takes the acknowledgement of a cancel"),
      ...of(bitstamp.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    BITFINEX: [
      ...of(bitfinex.orders, "never takes the acknowledgement of a cancel"),
      ...of(bitfinex.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    GEMINI: [
      ...of(gemini.orders, "never takes the answer to a cancel", "that was filled before its cancel came"),
      ...of(gemini.gateway, "has an order FILLED that filled behind its acknowledged cancel"),
    ],
    DERIBIT: of(
      deribit.orders,
      "says what was executed before it says",
      "has a cancel refused as of an order that is over",
    ),
  },
  "lost answer": {
    ...alike(({ outcomes, gateway }) => [
      ...of(outcomes, "is in doubt after"),
      ...of(gateway, "finds its order after an answer that was lost"),
    ]),
    BINANCE: of(binance, "keeps its hold while in doubt and is found"),
    KRAKEN: [
      ...of(kraken, "is in doubt when the answer is lost", "is in doubt about a cancel whose answer is lost"),
      ...of(krakenAccount, "finds its order after an answer that was lost"),
    ],
    BITFINEX: [
      ...of(bitfinex.outcomes, "is in doubt after", "cannot arrive any more once a later question"),
      ...of(bitfinex.gateway, "finds its order after an answer that was lost"),
    ],
    DERIBIT: [
      ...of(deribit.outcomes, "is in doubt after", "is not placed once its window has passed"),
      ...of(deribit.gateway, "finds its order after an answer that was lost"),
    ],
  },
  "dead socket": {
    BINANCE: of(binance, "is what the private stream did not say", "may be cut"),
    OKX: [
      ...of(okx.session, "says that the private stream is down and up again"),
      ...of(okx.gateway, "hears by its audits what a private stream did not say"),
    ],
    KRAKEN: [
      ...of(kraken, "goes up again after its stream was cut"),
      ...of(krakenAccount, "hears by its audits what a private stream did not say"),
    ],
    BYBIT: [
      ...of(
        bybit.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has taken the topic",
      ),
      ...of(bybit.gateway, "hears by its audits what a private stream did not say"),
    ],
    COINBASE: [
      ...of(
        coinbase.session,
        "is down and up again after its socket was cut",
        "begins anew when a message of its stream was lost",
        "is up only once the venue has taken the channel",
      ),
      ...of(coinbase.gateway, "hears by its audits what a private stream did not say"),
    ],
    BINANCEUSDM: [
      ...of(
        usdm.session,
        "is down and up again after its socket was cut",
        "is up only when the socket of its listen key is there",
        "begins anew with another listen key",
        "that the venue has forgotten is replaced",
      ),
      ...of(usdm.gateway, "hears by its audits what a private stream did not say"),
    ],
    KUCOIN: [
      ...of(
        kucoin.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has taken the topic",
        "asks for another token after one that never came",
      ),
      ...of(kucoin.gateway, "hears by its audits what a private stream did not say"),
    ],
    GATE: [
      ...of(
        gate.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has taken the channel",
        "measures the venue's clock again when a subscription is refused",
      ),
      ...of(gate.gateway, "hears by its audits what a private stream did not say"),
    ],
    KRAKENFUTURES: [
      ...of(
        futures.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has taken the feed",
        "begins anew after a feed was refused",
      ),
      ...of(futures.gateway, "hears by its audits what a private stream did not say"),
    ],
    BITSTAMP: [
      ...of(
        bitstamp.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has answered behind all of its channels",
        "keeps its key when a token is refused",
      ),
      ...of(bitstamp.gateway, "hears by its audits what a private stream did not say"),
    ],
    BITFINEX: [
      ...of(
        bitfinex.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has taken the login",
        "keeps its key and begins anew when its login is refused",
        "keeps its key while the venue is in maintenance",
        "begins anew when the venue asks for it",
      ),
      ...of(bitfinex.gateway, "hears by its audits what a private stream did not say"),
    ],
    GEMINI: [
      ...of(
        gemini.session,
        "is down and up again after its socket was cut",
        "begins anew when a message of its orders was lost",
        "is up only once the venue has acknowledged it",
      ),
      ...of(gemini.gateway, "hears by its audits what a private stream did not say"),
    ],
    DERIBIT: [
      ...of(
        deribit.session,
        "is down and up again after its socket was cut",
        "is up only once the venue has taken the channel",
        "begins anew after a channel was left out",
        "answers when it is asked whether it is there",
        "is renewed before it ends",
      ),
      ...of(deribit.gateway, "hears by its audits what a private stream did not say"),
    ],
  },
  "worker kill": {
    ...alike((files) => of(files.session, "leaves a submit in doubt when it dies with it")),
    BINANCE: of(worker, "leaves a submit in doubt when it dies with it"),
    KRAKEN: of(kraken, "leaves a submit in doubt when its worker dies with it"),
  },
  "absence with thousands of fills": {
    ...alike(({ gateway }) => of(gateway, "opens and takes orders after an absence")),
    BINANCE: of(binanceAccount, "opens and takes orders after an absence"),
    // Its calls are counted: thousands of fills take minutes, of which the account trades after seconds.
    KRAKEN: [
      ...of(krakenAccount, "opens and takes orders after an absence"),
      ...of("gateway/orders/kraken-absence.test.ts", "opens, takes orders and says what filled"),
    ],
    KRAKENFUTURES: [
      ...of(futures.gateway, "opens and takes orders after an absence"),
      ...of(futures.lists, "has all pages of its fills"),
    ],
    BITFINEX: [
      ...of(bitfinex.gateway, "opens and takes orders after an absence"),
      ...of(bitfinex.lists, "has more fills than a page", "has of what ended each order once"),
    ],
    DERIBIT: [
      ...of(deribit.gateway, "opens and takes orders after an absence"),
      ...of(deribit.lists, "has all pages of its fills", "has trades of days ago", "has an order by its label"),
    ],
  },
  "429 storm": {
    BINANCE: of(worker, "leaves a venue alone for as long as it asks"),
    OKX: [
      ...of(okx.outcomes, "is refused definitely by"),
      ...of(okx.session, "waits with its orders while the venue counts them"),
    ],
    KRAKEN: of(kraken, "waits with its orders when the venue says", "asks nothing while the venue counts"),
    BYBIT: of(bybit.session, "waits with its orders while the venue counts them", "sends its cancels before 60 orders"),
    COINBASE: of(
      coinbase.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 60 orders",
    ),
    BINANCEUSDM: of(
      usdm.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 60 orders",
    ),
    KUCOIN: of(
      kucoin.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 60 orders",
    ),
    GATE: of(
      gate.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 60 orders",
      "has refused what the venue counted out",
    ),
    KRAKENFUTURES: of(
      futures.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 60 orders",
      "has refused what the venue counted out",
    ),
    BITSTAMP: of(
      bitstamp.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 60 orders",
      "has refused what the venue counted out",
    ),
    BITFINEX: of(
      bitfinex.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before its orders",
      "has refused what the venue counted out",
    ),
    GEMINI: of(
      gemini.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 20 orders",
      "has refused what the venue counted out",
    ),
    DERIBIT: of(
      deribit.session,
      "waits with its orders while the venue counts them",
      "sends its cancels before 30 orders",
      "has refused what the venue counted out",
    ),
  },
  // OKX documents none. KRAKEN's is the "Temporary lockout" above.
  ban: {
    ...alike((files) => of(files.session, "is silent afterwards, and its sessions keep their keys")),
    BINANCE: of(worker, "is silent after a ban of its address"),
    OKX: [],
  },
  "order of another program": {
    ...alike(({ gateway }) => of(gateway, "shows the order of another program")),
    BINANCE: of(binance, "shows orders that were placed elsewhere"),
    KRAKEN: of(krakenAccount, "shows the order of another program"),
    BITFINEX: [
      ...of(bitfinex.session, "has the order of another program as one that is not ours"),
      ...of(bitfinex.gateway, "shows the order of another program"),
    ],
    DERIBIT: [
      ...of(deribit.orders, "is shown as another program placed it"),
      ...of(deribit.gateway, "shows the order of another program"),
    ],
  },
  disconnect: {
    ...alike(({ gateway }) => of(gateway, "shows the order of another program, and disconnects")),
    BINANCE: of(binance, "disconnects: nothing stays open"),
    KRAKEN: of(krakenAccount, "shows the order of another program, and disconnects"),
  },
  // Where SOCKET_ORDERS may name the venue.
  "over its socket": {
    BINANCE: of("venues/binance/binance-socket.test.ts", ...OVER_SOCKET),
    OKX: of("venues/okx/okx-socket.test.ts", ...OVER_SOCKET, "is in doubt when the venue has forgotten the login"),
    BYBIT: of("venues/bybit/bybit-socket.test.ts", ...OVER_SOCKET, "whose login is", "outlives the private stream"),
  },
  // Of contracts.
  positions: {
    BINANCEUSDM: [
      ...of(
        usdm.positions,
        "is shown with its margin",
        "is closed by orders that name it",
        "that another program opens is told",
        "that the venue liquidates is gone",
        "of an account in hedge mode",
      ),
      ...of(usdm.orders, "that is reduce-only makes its position smaller"),
    ],
    KRAKENFUTURES: [
      ...of(
        futures.positions,
        "is shown with its margin",
        "is closed by orders that name it",
        "that another program opens is told",
        "that the venue liquidates is gone",
        "whose stop fires",
      ),
      ...of(futures.orders, "that is reduce-only makes its position smaller", "has its position told"),
    ],
    DERIBIT: [
      ...of(
        deribit.positions,
        "is shown with its margin",
        "is closed by orders that name it",
        "that another program opens is told",
        "that the venue liquidates is gone",
        "whose stop fires",
      ),
      ...of(deribit.orders, "that is reduce-only makes its position smaller", "has its position told"),
      ...of(deribit.outcomes, "is refused definitely for an instrument nobody lists; of an inverse contract"),
    ],
  },
}
