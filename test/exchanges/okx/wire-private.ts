/**
 * The JSON of orders, fills and balances, field by field as OKX sends them; compared with recorded private messages in
 * test/venue-spec. Fees are negative when they are charged.
 */
import { multiply, UNIT } from "../binance/fixed.ts"
import type { Fill, Order } from "../binance/model.ts"
import { balanceOf, executedQuantity } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { billIdOf, type OkxAccount, ordIdOf, wordsOf } from "./model.ts"

const stateOf = (order: Order): string => {
  if (order.status === "FILLED") return "filled"
  if (order.status === "NEW") return "live"
  return order.status === "PARTIALLY_FILLED" ? "partially_filled" : "canceled"
}

const sideOf = (order: Order): string => (order.side === "BUY" ? "buy" : "sell")

/** An order as GET order, orders-pending and orders-history show it. */
export const orderRow = (order: Order) => {
  const { ordType, tgtCcy, tag, cancelSource, lastFill } = wordsOf(order)
  const executed = executedQuantity(order)
  const [base = "", quote = ""] = order.symbol.split("-")
  const received = order.fills.reduce((sum, { fee }) => sum + fee, 0n)
  return {
    accFillSz: plain(executed),
    algoClOrdId: "",
    algoId: "",
    attachAlgoClOrdId: "",
    attachAlgoOrds: [],
    avgPx: executed === 0n ? "" : plain((order.cost * UNIT) / executed),
    cTime: String(order.placedAt),
    cancelSource,
    cancelSourceReason: "",
    category: "normal",
    ccy: "",
    clOrdId: order.clientOrderId.startsWith("web_") ? "" : order.clientOrderId,
    fee: received === 0n ? "0" : `-${plain(received)}`,
    feeCcy: order.side === "BUY" ? base : quote,
    fillPx: lastFill === undefined ? "" : plain(lastFill.price),
    fillSz: lastFill === undefined ? "0" : plain(lastFill.quantity),
    fillTime: lastFill === undefined ? "" : String(lastFill.filledAt),
    instId: order.symbol,
    instType: "SPOT",
    isTpLimit: "false",
    lever: "",
    linkedAlgoOrd: { algoId: "" },
    ordId: ordIdOf(order.orderId),
    ordType,
    pnl: "0",
    posSide: "net",
    px: ordType === "market" ? "" : plain(order.price),
    pxType: "",
    pxUsd: "",
    pxVol: "",
    quickMgnType: "",
    rebate: "0",
    rebateCcy: order.side === "BUY" ? quote : base,
    reduceOnly: "false",
    side: sideOf(order),
    slOrdPx: "",
    slTriggerPx: "",
    slTriggerPxType: "",
    source: "",
    state: stateOf(order),
    stpId: "",
    stpMode: "cancel_maker",
    sz: plain(tgtCcy === "quote_ccy" ? order.quoteOrderQuantity : order.quantity),
    tag,
    tdMode: "cash",
    tgtCcy,
    tpOrdPx: "",
    tpTriggerPx: "",
    tpTriggerPxType: "",
    tradeId: lastFill === undefined ? "" : String(lastFill.tradeId),
    uTime: String(order.updatedAt),
  }
}

/** One step in an order's life on the `orders` channel: only a fill names a trade. */
export const orderEvent = (order: Order, fill: Fill | undefined) => ({
  ...orderRow(order),
  amendResult: "",
  amendSource: "",
  code: "0",
  execType: fill === undefined ? "" : fill.isMaker ? "M" : "T",
  fillFee: fill === undefined ? "0" : signedFee(fill),
  fillFeeCcy: fill?.feeAsset ?? "",
  fillNotionalUsd: "",
  fillPnl: "0",
  fillPx: fill === undefined ? "" : plain(fill.price),
  fillSz: fill === undefined ? "0" : plain(fill.quantity),
  fillTime: fill === undefined ? "" : String(fill.filledAt),
  lastPx: plain(fill?.price ?? order.price),
  msg: "",
  notionalUsd: plain(multiply(order.price, order.quantity)),
  posSide: "",
  reqId: "",
  tradeId: fill === undefined ? "" : String(fill.tradeId),
})

const signedFee = ({ fee }: Fill): string => (fee === 0n ? "0" : `-${plain(fee)}`)

/** `index` counts the account's fills: bills are numbered in their order. */
export const fillRow = (account: OkxAccount, fill: Fill, index: number) => {
  const order = account.orders.get(fill.orderId)
  return {
    side: fill.isBuyer ? "buy" : "sell",
    fillSz: plain(fill.quantity),
    fillPx: plain(fill.price),
    fillPxVol: "",
    fillPxUsd: "",
    fillFwdPx: "",
    fillMarkVol: "",
    fillMarkPx: "",
    fillIdxPx: "",
    fillPnl: "0",
    fillTime: String(fill.filledAt),
    fee: signedFee(fill),
    feeCcy: fill.feeAsset,
    feeRate: "-0.001",
    ordId: ordIdOf(fill.orderId),
    instType: "SPOT",
    instId: fill.symbol,
    clOrdId: order === undefined || order.clientOrderId.startsWith("web_") ? "" : order.clientOrderId,
    posSide: "net",
    billId: billIdOf(index),
    subType: fill.isBuyer ? "1" : "2",
    tag: order === undefined ? "" : wordsOf(order).tag,
    execType: fill.isMaker ? "M" : "T",
    tradeId: String(fill.tradeId),
    ts: String(fill.filledAt),
  }
}

const balanceRow = (account: OkxAccount, asset: string, now: number) => {
  const { free, locked } = balanceOf(account, asset)
  const total = plain(free + locked)
  return {
    accAvgPx: "",
    availBal: plain(free),
    availEq: plain(free),
    borrowFroz: "",
    cashBal: total,
    ccy: asset,
    clSpotInUseAmt: "",
    collateralEnabled: false,
    crossLiab: "",
    disEq: "0",
    eq: total,
    eqUsd: "0",
    fixedBal: "0",
    frozenBal: plain(locked),
    imr: "0",
    interest: "",
    isoEq: "0",
    isoLiab: "",
    isoUpl: "0",
    liab: "",
    maxLoan: "",
    maxSpotInUseAmt: "",
    mgnRatio: "",
    mmr: "0",
    notionalLever: "0",
    openAvgPx: "",
    ordFrozen: plain(locked),
    rewardBal: "0",
    smtSyncEq: "0",
    spotBal: "",
    spotCopyTradingEq: "0",
    spotInUseAmt: "",
    spotIsoBal: "0",
    spotUpl: "",
    spotUplRatio: "",
    stgyEq: "0",
    totalPnl: "",
    totalPnlRatio: "",
    twap: "0",
    uTime: String(now),
    upl: "0",
    uplLiab: "",
  }
}

const isThere = (account: OkxAccount, asset: string): boolean => {
  const { free, locked } = balanceOf(account, asset)
  return free + locked > 0n
}

/** GET account/balance, and one push of the `account` channel. Assets with nothing on them are not listed by the former. */
export const balanceData = (account: OkxAccount, assets: ReadonlyArray<string> | undefined, now: number) => ({
  adjEq: "",
  borrowFroz: "",
  details: (assets ?? [...account.balances.keys()].filter((asset) => isThere(account, asset))).map((asset) =>
    balanceRow(account, asset, now),
  ),
  imr: "",
  isoEq: "0",
  mgnRatio: "",
  mmr: "",
  notionalUsd: "",
  ordFroz: "",
  totalEq: "0",
  uTime: String(now),
  upl: "",
})

/** One push of `balance_and_position`. */
export const cashData = (account: OkxAccount, assets: ReadonlyArray<string>, eventType: string, now: number) => ({
  pTime: String(now),
  eventType,
  balData: assets.map((asset) => {
    const { free, locked } = balanceOf(account, asset)
    return { ccy: asset, cashBal: plain(free + locked), uTime: String(now) }
  }),
  posData: [],
  trades: [],
})

export const configData = (account: OkxAccount) => ({
  acctLv: "1",
  acctStpMode: "cancel_maker",
  autoLoan: false,
  ctIsoMode: "automatic",
  enableSpotBorrow: false,
  greeksType: "PA",
  ip: "",
  kycLv: "3",
  label: "loopback",
  level: "Lv1",
  levelTmp: "",
  mainUid: String(account.accountNumber),
  mgnIsoMode: "automatic",
  opAuth: "0",
  perm: "read_only,trade",
  posMode: "net_mode",
  roleType: "0",
  spotOffsetType: "",
  spotRoleType: "0",
  spotTraderInsts: [],
  traderInsts: [],
  type: "0",
  uid: String(account.accountNumber),
})
