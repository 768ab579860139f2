/**
 * The JSON of orders, fills, balances, positions and user events, field by field as Binance USDⓈ-M sends them: the names are those that ccxt 4.5.84
 * parses and the venue documents.
 */
import { formatFixed, UNIT } from "../binance/fixed.ts"
import { balanceOf, type ExecutionType, executedQuantity, type Fill, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { Core } from "./core.ts"
import { entryPriceOf, leverageOf, type Position, positionOf, sizeOf, type UsdmAccount, unrealizedOf } from "./model.ts"
import { wordsOf } from "./words.ts"

const averageOf = (order: Order): string => {
  const executed = executedQuantity(order)
  return executed === 0n ? "0.00" : plain((order.cost * UNIT) / executed)
}

/** An order as GET order, openOrders and allOrders show it. */
export const orderJson = (order: Order) => {
  const { type, timeInForce } = wordsOf(order)
  return {
    avgPrice: averageOf(order),
    clientOrderId: order.clientOrderId,
    cumQuote: plain(order.cost),
    executedQty: plain(executedQuantity(order)),
    orderId: order.orderId,
    origQty: plain(order.quantity),
    origType: type,
    price: type === "MARKET" ? "0" : plain(order.price),
    reduceOnly: order.isReduceOnly === true,
    side: order.side,
    positionSide: "BOTH",
    status: order.status,
    stopPrice: "0",
    closePosition: false,
    symbol: order.symbol,
    time: order.placedAt,
    timeInForce,
    type,
    updateTime: order.updatedAt,
    workingType: "CONTRACT_PRICE",
    priceProtect: false,
    priceMatch: "NONE",
    selfTradePreventionMode: "EXPIRE_MAKER",
    goodTillDate: 0,
  }
}

/** The answer to an order, a change or a cancel: it does not say when the order was made. */
export const answeredJson = (order: Order) => {
  const { time: _, ...shown } = orderJson(order)
  return { ...shown, cumQty: shown.executedQty }
}

export const fillJson = (core: Core, fill: Fill) => ({
  symbol: fill.symbol,
  id: fill.tradeId,
  orderId: fill.orderId,
  side: fill.isBuyer ? "BUY" : "SELL",
  price: plain(fill.price),
  qty: plain(fill.quantity),
  realizedPnl: plain(core.purse.realized.get(fill) ?? 0n),
  quoteQty: plain(fill.cost),
  commission: formatFixed(fill.fee),
  commissionAsset: fill.feeAsset,
  time: fill.filledAt,
  positionSide: "BOTH",
  buyer: fill.isBuyer,
  maker: fill.isMaker,
})

/** One step in an order's life, for the user data stream. */
export const orderEvent = (
  core: Core,
  order: Order,
  execution: ExecutionType | "AMENDMENT" | "CALCULATED",
  fill: Fill | undefined,
) => {
  const { type, timeInForce, expiry } = wordsOf(order)
  return {
    e: "ORDER_TRADE_UPDATE",
    E: core.now(),
    T: order.updatedAt,
    o: {
      s: order.symbol,
      c: order.clientOrderId,
      S: order.side,
      o: type,
      f: timeInForce,
      q: plain(order.quantity),
      p: type === "MARKET" ? "0" : plain(order.price),
      ap: averageOf(order),
      sp: "0",
      x: execution === "TRADE_PREVENTION" ? "EXPIRED" : execution,
      X: order.status,
      i: order.orderId,
      l: plain(fill?.quantity ?? 0n),
      z: plain(executedQuantity(order)),
      L: plain(fill?.price ?? 0n),
      ...(fill !== undefined && { n: formatFixed(fill.fee), N: fill.feeAsset }),
      T: order.updatedAt,
      t: fill?.tradeId ?? 0,
      b: "0",
      a: "0",
      m: fill?.isMaker ?? false,
      R: order.isReduceOnly === true,
      wt: "CONTRACT_PRICE",
      ot: type,
      ps: "BOTH",
      cp: false,
      rp: plain(fill === undefined ? 0n : (core.purse.realized.get(fill) ?? 0n)),
      pP: false,
      si: 0,
      ss: 0,
      V: "EXPIRE_MAKER",
      pm: "NONE",
      gtd: 0,
      er: String(expiry),
    },
  }
}

/** What an order's execution, a deposit or a funding fee moved. */
export const accountEvent = (
  core: Core,
  account: UsdmAccount,
  of: {
    readonly reason: string
    readonly asset: string
    readonly change: bigint
    readonly symbols: ReadonlyArray<string>
  },
) => ({
  e: "ACCOUNT_UPDATE",
  E: core.now(),
  T: core.now(),
  a: {
    m: of.reason,
    B: [
      {
        a: of.asset,
        wb: formatFixed(balanceOf(account, of.asset).free),
        cw: formatFixed(balanceOf(account, of.asset).free),
        bc: formatFixed(of.change),
      },
    ],
    P: of.symbols.map((symbol) => {
      const position = positionOf(account, symbol)
      return {
        s: symbol,
        pa: plain(position.amount),
        ep: plain(entryPriceOf(position)),
        bep: plain(entryPriceOf(position)),
        cr: plain(position.realized),
        up: formatFixed(unrealizedOf(position, core.purse.markOf(symbol))),
        mt: marginTypeOf(account, symbol) === "ISOLATED" ? "isolated" : "cross",
        iw: "0",
        ps: "BOTH",
        ma: of.asset,
      }
    }),
  },
})

const marginTypeOf = ({ marginType }: UsdmAccount, symbol: string) => marginType.get(symbol) ?? "CROSSED"

const assetsOf = (account: UsdmAccount): ReadonlyArray<string> => [...account.balances.keys()]

const heldOf = (account: UsdmAccount): ReadonlyArray<readonly [string, Position]> =>
  [...account.positions].filter(([, { amount }]) => amount !== 0n)

/** GET account, version 3: assets that are known, and positions that are open. */
export const accountJson = (core: Core, account: UsdmAccount) => {
  const assets = assetsOf(account).map((asset) => {
    const margins = core.purse.marginsOf(account, asset)
    const initial = margins.ofPositions + margins.ofOrders
    return {
      asset,
      walletBalance: formatFixed(margins.wallet),
      unrealizedProfit: formatFixed(margins.unrealized),
      marginBalance: formatFixed(margins.wallet + margins.unrealized),
      maintMargin: "0.00000000",
      initialMargin: formatFixed(initial),
      positionInitialMargin: formatFixed(margins.ofPositions),
      openOrderInitialMargin: formatFixed(margins.ofOrders),
      crossWalletBalance: formatFixed(margins.wallet),
      crossUnPnl: formatFixed(margins.unrealized),
      availableBalance: formatFixed(margins.available),
      maxWithdrawAmount: formatFixed(margins.available),
      updateTime: core.now(),
    }
  })
  return {
    totalInitialMargin: "0.00000000",
    totalMaintMargin: "0.00000000",
    totalWalletBalance: assets[0]?.walletBalance ?? "0",
    totalUnrealizedProfit: assets[0]?.unrealizedProfit ?? "0",
    totalMarginBalance: assets[0]?.marginBalance ?? "0",
    availableBalance: assets[0]?.availableBalance ?? "0",
    assets,
    positions: heldOf(account).map(([symbol, position]) => ({
      symbol,
      positionSide: "BOTH",
      positionAmt: plain(position.amount),
      unrealizedProfit: formatFixed(unrealizedOf(position, core.purse.markOf(symbol))),
      notional: plain((core.purse.markOf(symbol) * position.amount) / UNIT),
      updateTime: position.updatedAt,
    })),
  }
}

/** GET balance, version 3. */
export const balanceJson = (core: Core, account: UsdmAccount) =>
  accountJson(core, account).assets.map(({ asset, walletBalance, crossUnPnl, availableBalance, updateTime }) => ({
    accountAlias: aliasOf(account),
    asset,
    balance: walletBalance,
    crossWalletBalance: walletBalance,
    crossUnPnl,
    availableBalance,
    maxWithdrawAmount: availableBalance,
    marginAvailable: true,
    updateTime,
  }))

/** Two letters for each two digits of the account's number. */
export const aliasOf = ({ accountNumber }: UsdmAccount): string =>
  String(accountNumber).replace(/\d/g, (digit) => "SgsRmYoCuX"[Number(digit)] ?? "")

/** GET positionRisk, version 3: symbols with a position or an open order. */
export const positionJson = (core: Core, account: UsdmAccount, symbol: string) => {
  const position = positionOf(account, symbol)
  const mark = core.purse.markOf(symbol)
  const notional = (mark * position.amount) / UNIT
  return {
    symbol,
    positionSide: "BOTH",
    positionAmt: plain(position.amount),
    entryPrice: plain(entryPriceOf(position)),
    breakEvenPrice: plain(entryPriceOf(position)),
    markPrice: formatFixed(mark),
    unRealizedProfit: formatFixed(unrealizedOf(position, mark)),
    liquidationPrice: "0",
    isolatedMargin: "0",
    notional: plain(notional),
    marginAsset: core.purse.rulesOf(symbol)?.quote ?? "",
    isolatedWallet: "0",
    initialMargin: plain(sizeOf(notional) / BigInt(leverageOf(account, symbol))),
    maintMargin: "0",
    positionInitialMargin: plain(sizeOf(notional) / BigInt(leverageOf(account, symbol))),
    openOrderInitialMargin: "0",
    adl: 1,
    bidNotional: "0",
    askNotional: "0",
    updateTime: position.updatedAt,
  }
}

export const symbolConfigJson = (account: UsdmAccount, symbol: string) => ({
  symbol,
  marginType: marginTypeOf(account, symbol),
  isAutoAddMargin: false,
  leverage: leverageOf(account, symbol),
  maxNotionalValue: "1000000",
})
