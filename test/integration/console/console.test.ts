/**
 * The console in a real Chromium, against a real gateway and a loopback exchange. The one thing to know: what the page shows is compared with
 * what the gateway says over HTTP, and what went wrong in a page (its policy's refusals, errors that nothing caught) is counted over all tests.
 */
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Secret, TOTP } from "otpauth"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { OrderBookRecord } from "../../../src/domain/market/market.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { type BinanceExchange, startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { chromiumPath, launchChromium, WITHOUT_CHROMIUM } from "../../kit/browser/chromium.ts"
import {
  axeFaults,
  type ConsolePage,
  goTo,
  keys,
  ladderOf,
  openConsole,
  placeByKeys,
  shows,
  signIn,
  tileOf,
  WIDTHS,
} from "../../kit/browser/console-page.ts"
import { signUpFounder } from "../../kit/servers/founder.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { type Api, api, endGateways, type Gateway, PASSWORD, startGateway, until } from "../../kit/servers/gateway.ts"
import { tokenTo } from "../../kit/servers/mailbox.ts"

const MARKET = "MOCK:BTC/USDT"
const HOSTILE = `"><img src=x onerror=alert(1)><script>alert(2)</script>`
const FOUNDER = "founder@example.com"
/** Where pictures of the screens are kept; none without it. */
const pictures = process.env["CONSOLE_PICTURES"]

if (chromiumPath === undefined) console.warn(`the console is not tested here: ${WITHOUT_CHROMIUM}`)

describe.skipIf(chromiumPath === undefined)("the console", () => {
  let exchange: BinanceExchange
  let gateway: Gateway
  let browser: Browser
  let port: number
  let calls: Api
  let tradingAccountId: string
  let main: ConsolePage
  let page: Page
  const opened: Array<ConsolePage> = []

  const open = async (): Promise<ConsolePage> => {
    const it = await openConsole(browser, gateway)
    opened.push(it)
    return it
  }
  const start = async (dataDir?: string, env: Record<string, string> = {}): Promise<void> => {
    const given = dataDir === undefined ? {} : { dataDir }
    const routes = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
    gateway = await startGateway({ ...given, env: { ...routes, PORT: String(port), ...env } })
  }
  const orders = async (): Promise<ReadonlyArray<TradeOrderRecord>> =>
    (await calls.get<ReadonlyArray<TradeOrderRecord>>("/tradeOrder/list", { tradingAccountId })).record
  const picture = async (name: string): Promise<void> => {
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `${name}.png`) })
  }
  const shown = (text: string): Promise<unknown> => page.getByText(text).first().waitFor()

  beforeAll(async () => {
    exchange = await startBinanceExchange({ market: "still" })
    port = await freePort()
    ;[browser] = await Promise.all([launchChromium(), start()])
    calls = api(gateway).as((await signUpFounder(gateway, FOUNDER)).accessToken)
    tradingAccountId = (await calls.connectMock()).record.tradingAccountId
    main = await open()
    page = main.page
    await signIn(page, FOUNDER)
    await page.waitForSelector("[data-trust=live]")
  })
  afterEach(async () => {
    // Of all pages, whatever the test was about.
    for (const { faults } of opened) expect(await faults()).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await endGateways()
    await exchange?.stop()
  })

  describe("is served", () => {
    it("to browsers at /, compressed, under names that are never used for anything else, and lets nothing else in", async () => {
      const front = await fetch(`${gateway.http}/`, { headers: { accept: "text/html" }, redirect: "manual" })
      expect([front.status, front.headers.get("location")]).toEqual([302, "/console"])
      expect(await (await fetch(`${gateway.http}/`)).json()).toMatchObject({ success: true })
      const html = await fetch(`${gateway.http}/console`)
      expect(html.headers.get("content-security-policy")).toMatch(
        /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
      )
      expect(html.headers.get("cache-control")).toBe("public, no-cache")
      const [, script = ""] = /src="(\/console\/main-\w+\.js)"/.exec(await html.text()) ?? []
      const bytes: Record<string, number> = {}
      for (const coding of ["br", "gzip", "identity"]) {
        const asset = await fetch(gateway.http + script, { method: "HEAD", headers: { "accept-encoding": coding } })
        expect(asset.headers.get("cache-control")).toContain("immutable")
        expect(asset.headers.get("content-encoding")).toBe(coding === "identity" ? null : coding)
        bytes[coding] = Number(asset.headers.get("content-length"))
      }
      expect(bytes["br"]).toBeLessThan(bytes["gzip"]!)
      expect(bytes["gzip"]).toBeLessThan(90_000)
    })

    it("with a session that no script reads and no other page rides on", async () => {
      const cookies = await page.context().cookies(`${gateway.http}/console/session/renew`)
      expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: "/console/session" }])
      expect(await page.context().cookies(`${gateway.http}/api/v3/auth/user`)).toEqual([])
      const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ")
      const renew = (headers: Record<string, string>) =>
        fetch(`${gateway.http}/console/session/renew`, {
          method: "POST",
          headers: { "content-type": "application/json", cookie, ...headers },
          body: "{}",
        })
      for (const headers of [
        {},
        { origin: "https://evil.example" },
        { origin: gateway.http, "sec-fetch-site": "cross-site" },
      ])
        expect((await renew(headers)).status).toBe(403)
      // The API knows no cookie.
      expect((await fetch(`${gateway.http}/api/v3/auth/user`, { headers: { cookie } })).status).toBe(401)
      await page.reload()
      await page.waitForSelector("[data-trust=live]")
    })
  })

  describe("tells the truth", () => {
    it("of a book: its ladder is the gateway's at the same sequence, digit for digit", async () => {
      let same = 0
      await until("three looks at the same sequence", async () => {
        const ladder = await ladderOf(page)
        const { record } = await calls.get<OrderBookRecord>("/market/orderbook/get", {
          instrumentId: MARKET,
          depth: "50",
        })
        if (record.sequence !== ladder.sequence) return false
        for (const side of ["bids", "asks"] as const) {
          expect(ladder[side].length).toBeGreaterThanOrEqual(5)
          expect(ladder[side]).toEqual(
            record[side].slice(0, ladder[side].length).map(([price, quantity]) => [price, quantity]),
          )
        }
        same += 1
        return same === 3
      })
    })

    it("of many books: each tile is the gateway's at the same sequence, and its keys lead to its trading", async () => {
      await goTo(page, "books")
      const tile = `.tile[data-book="${MARKET}"]`
      await page.waitForSelector(`${tile}:not(.stale)`)
      expect(await page.locator(".tile").count()).toBe(5)
      await until("a look at the same sequence", async () => {
        const shown = await tileOf(page, MARKET)
        const { record } = await calls.get<OrderBookRecord>("/market/orderbook/get", {
          instrumentId: MARKET,
          depth: "5",
        })
        if (record.sequence !== shown.sequence) return false
        expect(shown.bids).toEqual(record.bids.map(([price, quantity]) => [price, quantity]))
        expect(shown.asks).toEqual(record.asks.map(([price, quantity]) => [price, quantity]))
        return true
      })
      await keys(page, "ArrowRight", "ArrowRight", "x")
      expect(await page.locator(".tile").count()).toBe(4)
      await keys(page, "a")
      await page.getByLabel("Search").fill("ETH USDT")
      await page.locator(".choices").getByText("ETH/USDT").first().waitFor()
      await page.keyboard.press("Enter")
      await page.waitForSelector(`.tile:nth-child(5)[data-book="MOCK:ETH/USDT"]`)
      await keys(page, "ArrowRight", "Enter")
      await page.waitForSelector("nav a[aria-current=page][href='#/trade']")
      await page.getByRole("button", { name: MARKET }).waitFor()
      await page.waitForSelector("[data-trust=live]")
    })

    it("of orders: placed and cancelled by the keyboard, shown as the gateway has them", async () => {
      await placeByKeys(page, { side: "b", quantity: "0.01", price: "51000.5" })
      const order = await until("the order", async () => (await orders()).find(({ status }) => status === "OPEN"))
      expect(order).toMatchObject({ orderSide: "BUY", quantity: "0.01", limitPrice: "51000.5", timeInForce: "GTC" })
      const row = page.locator(`tr[data-order="${order.tradeOrderId}"]`)
      await row.getByText("OPEN").waitFor()
      await row.locator(".hint").hover()
      // The words of the guide.
      await shown("OPEN: the venue has it, or the gateway watches its trigger.")
      await picture("order-explained")
      await keys(page, "j", "x")
      await until("the cancel", async () => (await orders()).every(({ status }) => status === "CANCELLED"))
      await row.waitFor({ state: "detached" })
    })

    it("of what was checked: whatever changes afterwards has to be checked again", async () => {
      const before = (await orders()).length
      await keys(page, "b")
      await page.keyboard.type("0.01")
      await page.keyboard.press("Tab")
      await page.keyboard.press("ControlOrMeta+a")
      await page.keyboard.type("51000")
      for (const change of [
        () => page.keyboard.press("ArrowUp"),
        () => page.getByLabel("In force").selectOption("IOC"),
        () => page.locator("#ladder .level.bid").first().click(),
      ]) {
        await page.getByLabel("Limit price").press("Enter")
        await page.waitForSelector("button.send.armed")
        await change()
        await page.waitForSelector("button.send:not(.armed)")
      }
      await page.getByLabel("In force").selectOption("GTC")
      await page.getByLabel("Limit price").fill("60,000")
      await page.getByText("60,000: write a decimal with a point").waitFor()
      expect(await page.locator("button.send").isDisabled()).toBe(true)
      expect((await orders()).length).toBe(before)
    })

    it("of what was chosen: with the chosen order gone no other one is cancelled in its place", async () => {
      const place = async (limitPrice: string) =>
        (
          await calls.post<TradeOrderRecord>("/tradeOrder/submit", {
            ...{ tradingAccountId, instrumentId: MARKET, orderSide: "BUY", orderType: "LIMIT" },
            ...{ quantity: "0.01", limitPrice },
          })
        ).record.tradeOrderId
      const [kept, gone] = [await place("41000"), await place("42000")]
      const row = (id: string) => page.locator(`tr[data-order="${id}"]`)
      await row(kept).waitFor()
      await row(gone).locator("td").nth(1).click()
      await calls.post("/tradeOrder/cancel", { tradingAccountId, tradeOrderId: gone })
      await row(gone).waitFor({ state: "detached" })
      let cancels = 0
      page.on("request", (request) => {
        if (request.url().endsWith("/tradeOrder/cancel")) cancels += 1
      })
      // Nothing is cancelled yet, so that every press has an order that it could mean.
      await page.route("**/tradeOrder/cancel", (route) => route.abort())
      await keys(page, "x", "j", "x")
      await row(kept).locator(".fault").waitFor()
      await page.unroute("**/tradeOrder/cancel")
      await keys(page, "x")
      await row(kept).waitFor({ state: "detached" })
      // The two that `j` had chosen an order for, and none for the press before it.
      expect(cancels).toBe(2)
    })

    it("of who is signed in: a gateway in trouble signs no user out, at the page's start either", async () => {
      const failure = { success: false, errno: 50_003, error: "in trouble", details: { code: "STORAGE_UNAVAILABLE" } }
      await page.route("**/console/session/renew", (route) =>
        route.fulfill({ status: 503, headers: { "retry-after": "1" }, json: failure }),
      )
      await page.reload()
      await page.locator("[data-trouble]").getByText("in trouble").waitFor()
      await page.unroute("**/console/session/renew")
      await page.waitForSelector("[data-trust=live]")
      expect(await page.locator("[data-trouble]").count()).toBe(0)
      // The account and the instrument are there as well.
      await page.getByText("Needs a quantity.").waitFor()
    })

    it("of what was refused: there is no such order, and the gateway's own figures say why", async () => {
      await placeByKeys(page, { side: "b", quantity: "1000", price: "51000" })
      await page.locator("[data-sent=refused]").getByText("INSUFFICIENT_BALANCE").waitFor()
      expect((await orders()).filter(({ status }) => status !== "CANCELLED")).toEqual([])
      await page.getByRole("button", { name: "Dismiss" }).click()
    })

    it("of an answer that was lost: unknown, asked after, and found; never sent again", async () => {
      let posts = 0
      const before = (await orders()).length
      await page.route("**/tradeOrder/submit", async (route) => {
        posts += 1
        await route.fetch()
        await page.route("**/tradeOrder/get*", (asked) => asked.abort())
        await route.abort()
      })
      await placeByKeys(page, { side: "b", quantity: "0.02", price: "50000" })
      await page.locator("[data-sent=unknown]").getByText("whether it is stored is not known").waitFor()
      await picture("answer-lost")
      // A reload forgets nothing of it, and the session is renewed once for it.
      let renewals = 0
      page.on("request", (request) => {
        if (request.url().endsWith("/console/session/renew")) renewals += 1
      })
      await page.reload()
      await page.locator("[data-sent=unknown]").waitFor()
      await page.unroute("**/tradeOrder/get*")
      await page.unroute("**/tradeOrder/submit")
      await page.locator("[data-sent=unknown]").waitFor({ state: "detached" })
      await page.locator("table.orders").getByText("50000").waitFor()
      expect([posts, renewals, (await orders()).length]).toEqual([1, 1, before + 1])
    })

    it("of money whose answer was lost: it is sent again under its own key, whatever was written and picked meanwhile, and moves once", async () => {
      const wallet = async () => (await calls.post<{ walletId: string }>("/wallet/create", {})).record.walletId
      const [paid, other] = [await wallet(), await wallet()]
      const heldBy = async (walletId: string): Promise<ReadonlyArray<string>> =>
        (
          await calls.get<{ balances: ReadonlyArray<{ asset: string; balance: string }> }>("/wallet/get", { walletId })
        ).record.balances.map(({ asset, balance }) => `${balance} ${asset}`)
      const sentKeys: Array<string> = []
      page.on("request", (request) => {
        if (/\/wallet\/(deposit|transfer)$/.test(request.url()))
          sentKeys.push(request.headers()["idempotency-key"] ?? "")
      })
      /** Done by the gateway, and its answer lost. */
      const lose = (path: string) =>
        page.route(`**/${path}`, async (route) => {
          await route.fetch()
          await route.abort()
        })
      const lost = page.locator("[data-move=unknown]")
      await goTo(page, `wallets/${paid}`)
      const outside = page.getByRole("region", { name: "Money from and to the outside" })
      const deposit = async (): Promise<void> => {
        await outside.getByLabel("Wallet").fill(paid)
        await outside.getByLabel("Amount").fill("70")
        await outside.getByRole("button", { name: "Deposit" }).click()
        await outside.getByRole("button", { name: /^Put 70 USDT into / }).click()
      }
      await lose("wallet/deposit")
      await deposit()
      await lost.getByText("70 USDT").waitFor()
      await picture("money-unanswered")
      await page.unroute("**/wallet/deposit")
      // The same once more would be money twice.
      await deposit()
      await outside.getByRole("alert").getByText("has no answer yet").waitFor()
      await outside.getByLabel("Amount").fill("71")
      await goTo(page, `wallets/${other}`)
      await page.reload()
      await lost.getByRole("button", { name: "Send again" }).click()
      await page.locator("[data-move=done]").getByText("70 USDT").waitFor()
      expect(await heldBy(paid)).toEqual(["70 USDT"])
      await page.locator("[data-move=done]").getByRole("button", { name: "Dismiss" }).click()
      await lose("wallet/transfer")
      const transfer = page.getByRole("region", { name: "Transfer" })
      await transfer.getByLabel("From").selectOption(paid)
      await transfer.getByLabel("To").selectOption(other)
      await transfer.getByLabel("Amount").fill("30")
      await transfer.getByRole("button", { name: "Transfer" }).click()
      await lost.getByText("30 USDT").waitFor()
      await page.unroute("**/wallet/transfer")
      await transfer.getByLabel("Amount").fill("31")
      await lost.getByRole("button", { name: "Send again" }).click()
      await page.locator("[data-move=done]").getByText("30 USDT").waitFor()
      expect([await heldBy(paid), await heldBy(other)]).toEqual([["40 USDT"], ["30 USDT"]])
      // Two of each, under one key each.
      expect(sentKeys).toHaveLength(4)
      expect(new Set(sentKeys).size).toBe(2)
      await page.locator("[data-move=done]").getByRole("button", { name: "Dismiss" }).click()
      await goTo(page, "trade")
    })

    it("of a doubt: funds held, the evidence told, nothing to press; and it ends when the venue's word comes", async () => {
      const key = { apiKey: `key${randomUUID()}`, apiSecret: `secret${randomUUID()}` }
      exchange.addUser({ ...key, balances: { USDT: "100000", BTC: "1" } })
      const { credentialId } = (await calls.createCredential({ venue: "BINANCE", ...key, name: "doubtful" })).record
      const account = (await calls.connect({ venue: "BINANCE", credentialIds: [credentialId], nickname: HOSTILE }))
        .record
      const own = { tradingAccountId: account.tradingAccountId }
      await until("the account is ACTIVE", async () =>
        (await calls.accounts(own)).record.find(({ status }) => status === "ACTIVE"),
      )
      await page.reload()
      await page.getByLabel("Trading account").selectOption(own.tradingAccountId)
      await keys(page, "i")
      await page.getByLabel("Search").fill("BTC USDT")
      await page.locator(".choices").getByText("BTC/USDT").first().waitFor()
      await page.keyboard.press("Enter")
      await page.waitForSelector("[data-trust=live]")
      exchange.fault({ fault: "suppressUserEvents", on: true })
      exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind: "apply-then-destroy" } })
      for (const match of ["GET /api/v3/order", "GET /api/v3/openOrders"])
        exchange.fault({ fault: "answer", match, times: "always", action: { kind: "status", status: 503 } })
      await placeByKeys(page, { side: "b", quantity: "0.01", price: "50000" })
      const band = page.locator("[data-doubt]")
      await band.waitFor({ timeout: 60_000 })
      // The venue answers none of the questions.
      await band.getByText("No evidence yet: the venue is being asked.").waitFor()
      expect(await band.locator("button").count()).toBe(0)
      await page.locator("table.orders").getByText("IN DOUBT").waitFor()
      await picture("order-in-doubt")
      const [doubt] = (await calls.get<ReadonlyArray<TradeOrderRecord>>("/tradeOrder/list", own)).record
      expect(doubt).toMatchObject({ inDoubt: true, status: "PENDING" })
      exchange.fault({ fault: "clear" })
      await band.waitFor({ state: "detached", timeout: 60_000 })
      await page.locator(`tr[data-order="${doubt?.tradeOrderId}"]`).getByText("OPEN").waitFor()
      expect(exchange.placements().filter(({ clientOrderId }) => clientOrderId.length > 0)).toHaveLength(1)
      await calls.post("/tradeOrder/cancelAll", own)
    })
  })

  describe("shows what people wrote as text", () => {
    it("nicknames, ids of orders and words of refusals run nothing", async () => {
      const own = await calls.post<{ tradingAccountId: string }>("/tradingAccount/connect", {
        venue: "MOCK",
        externalTradingAccountId: "hostile",
        nickname: HOSTILE,
      })
      await calls.post("/tradeOrder/submit", {
        tradingAccountId: own.record.tradingAccountId,
        instrumentId: MARKET,
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.01",
        limitPrice: "40000",
        clientOrderId: "<b>x</b>",
      })
      await calls.post("/admin/user/ban", { email: "nobody@example.com", reason: HOSTILE })
      await page.reload()
      await page.getByLabel("Trading account").selectOption(own.record.tradingAccountId)
      expect(await page.getByLabel("Trading account").textContent()).toContain(HOSTILE)
      for (const screen of ["trade", "orders", "operator", "keys", "wallets"]) {
        await goTo(page, screen)
        await page.waitForSelector(".panel")
      }
      expect(await page.locator("img, main script").count()).toBe(0)
    })
  })

  describe("can be used", () => {
    it.each(["light", "dark"] as const)("by everybody, and at every width: %s", async (theme) => {
      await page.getByLabel("Trading account").selectOption(tradingAccountId)
      const wrong: Array<string> = []
      for (const screen of ["trade", "books", "orders", "wallets", "quotes", "operator", "keys"]) {
        await goTo(page, screen)
        await page.waitForSelector(screen === "books" ? ".tile:not(.stale)" : ".panel")
        // A theme has no widths of its own.
        for (const width of theme === "light" || pictures !== undefined ? WIDTHS : [1280]) {
          await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 })
          await page.evaluate(`document.documentElement.dataset.theme = ${JSON.stringify(theme)}`)
          const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
          if (wide > 0) wrong.push(`${screen} at ${width}: ${wide} px too wide`)
          // What a theme changes is the contrast.
          const only = theme === "dark" ? "color-contrast" : undefined
          if (width === 1280) wrong.push(...(await axeFaults(page, only)).map((it) => `${screen}: ${it}`))
          await picture(`${screen}-${width}-${theme}`)
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 })
      expect(wrong).toEqual([])
    })

    it("by who has no session yet: signs up, and is told what is wrong", async () => {
      const fresh = await open()
      expect(await axeFaults(fresh.page)).toEqual([])
      await fresh.page.getByLabel("E-mail").fill(FOUNDER)
      await fresh.page.getByLabel("Password").fill("not the password")
      await fresh.page.locator("form button[type=submit]").click()
      await fresh.page.getByRole("alert").getByText("Invalid").waitFor()
      await fresh.page.getByRole("button", { name: "Sign up" }).click()
      await fresh.page.getByLabel("E-mail").fill(`new-${randomUUID()}@example.com`)
      await fresh.page.getByLabel("Password").fill("a long enough passphrase")
      await fresh.page.locator("form button[type=submit]").click()
      await fresh.page.getByText("You have no trading account yet").waitFor()
      // No admin: there is no such screen.
      expect(await fresh.page.locator("nav a").allTextContents()).toEqual([
        "Trade",
        "Books",
        "Orders",
        "Wallets",
        "Quotes",
        "Keys",
      ])
      // Screens that are not for all leave the keys of the others where they are.
      await keys(fresh.page, "6", "7")
      await fresh.page.waitForSelector("nav a[aria-current=page][href='#/keys']")
      await goTo(fresh.page, "books")
      await fresh.page.waitForSelector(".tile")
      await keys(fresh.page, "ArrowRight", "x")
      await until("4 books", async () => (await fresh.page.locator(".tile").count()) === 4)
      await fresh.page.getByRole("button", { name: "Sign out" }).click()
      await fresh.page.getByText("You are signed out.").waitFor()
      // The next user of this page has a wall of their own.
      await signIn(fresh.page, FOUNDER)
      await until("5 books", async () => (await fresh.page.locator(".tile").count()) === 5)
      await fresh.page.context().close()
      opened.splice(opened.indexOf(fresh), 1)
    })

    it("by who asks for its keys: all that any screen shows are listed", async () => {
      const caps = (within: string): Promise<ReadonlyArray<string>> =>
        page.evaluate(`[...document.querySelectorAll("${within} kbd")].map((it) => it.textContent)`)
      const shownOnScreens: Array<string> = []
      for (const screen of ["trade", "books", "orders", "wallets", "quotes", "operator", "keys"]) {
        await goTo(page, screen)
        await page.waitForSelector(screen === "books" ? ".tile" : ".panel")
        shownOnScreens.push(...(await caps("#console")))
      }
      await keys(page, "?")
      await page.waitForSelector("dialog.shortcuts")
      await picture("all-keys")
      expect(await axeFaults(page)).toEqual([])
      const listed = await caps("dialog.shortcuts")
      expect(shownOnScreens.length).toBeGreaterThan(8)
      expect(shownOnScreens.filter((cap) => !listed.includes(cap))).toEqual([])
      await page.keyboard.press("Escape")
    })

    it("by a dealer's client: a quote is taken before it ends, and stands in the wallet's statement", async () => {
      const dealer = { baseCurrencies: ["BTC"], name: "Desk", riskThreshold: "5" }
      const config = {
        pricingProfiles: { retail: { markupBps: 15, ttlBps: 1 } },
        defaultPricingProfile: "retail",
        pricing: { allowSimulatedVenues: true },
      }
      const made = await calls.post<{ dealerAccountId: string; walletId: string }>("/dealer/create", {
        ...dealer,
        config,
      })
      const { dealerAccountId, walletId } = made.record
      await calls.post("/dealer/account/link", { dealerAccountId, tradingAccountId })
      await calls.post("/wallet/deposit", { walletId, asset: "BTC", amount: "5" })
      const account = await calls.post<{ tradingAccountId: string; walletId: string }>("/tradingAccount/connect", {
        venue: "INTERNAL",
        dealerAccountId,
      })
      await goTo(page, "wallets")
      const outside = page.getByRole("region", { name: "Money from and to the outside" })
      await outside.getByLabel("Wallet").fill(account.record.walletId)
      await outside.getByLabel("Amount").fill("100000")
      // A newer wallet heads the list: nothing was chosen, and what is written stays.
      const listed = page.getByRole("group", { name: "Wallets" }).locator("a")
      const before = await listed.count()
      await page.getByRole("button", { name: "New wallet" }).click()
      await listed.nth(before).waitFor()
      await outside.getByLabel("Amount").press("Enter")
      await outside.getByRole("button", { name: /^Put 100000 USDT into / }).waitFor()
      await page.keyboard.press("Enter")
      await shows(outside, "100000 USDT came in.")
      await outside.getByLabel("Way").selectOption("withdraw")
      await outside.getByLabel("Amount").fill("1")
      await outside.getByLabel("Amount").focus()
      // Held down: it arms, and takes nothing.
      for (let n = 0; n < 3; n++) await page.keyboard.down("Enter")
      await page.keyboard.up("Enter")
      await outside.getByRole("button", { name: /^Take 1 USDT out of / }).waitFor()
      await page.keyboard.press("Enter")
      await shows(outside, "1 USDT went out.")
      await outside.getByLabel("Way").selectOption("deposit")
      await page.reload()
      await page.getByLabel("Trading account").selectOption(account.record.tradingAccountId)
      await goTo(page, "quotes")
      // Until the dealer has the book it says why not.
      await until("a firm quote", async () => {
        await page.getByLabel("Quantity").fill("0.5")
        await page.getByRole("button", { name: "Ask for a price" }).click()
        const answered = await Promise.race([
          page.waitForSelector("[data-quote]").then(() => true),
          page
            .getByRole("alert")
            .first()
            .waitFor()
            .then(() => false),
        ])
        return answered
      })
      await picture("quote-firm")
      await keys(page, "t")
      await page.locator("table").getByText("EXECUTED").first().waitFor()
      await goTo(page, `wallets/${account.record.walletId}`)
      const statement = page.getByRole("group", { name: "Statement" })
      await statement.getByText("DEPOSIT").first().waitFor()
      expect(await statement.locator("tbody tr").count()).toBeGreaterThan(2)
      await picture("statement")
    })

    it("by who runs a bot: a key is made, shown once, and works", async () => {
      await goTo(page, "keys")
      await page.getByRole("button", { name: "New key" }).click()
      await page.getByLabel("Name").fill("bot")
      await page.getByRole("button", { name: "Make the key" }).click()
      const key = (await page.locator(".secret").textContent()) ?? ""
      expect(key).toMatch(/^vgk_/)
      await picture("key-made")
      expect((await api(gateway).as(key).get("/auth/user")).status).toBe(200)
      await page.keyboard.press("Escape")
      await page.locator("table").getByText("ACTIVE").first().waitFor()
      expect(await page.content()).not.toContain(key)
    })

    it("by who trades elsewhere: an exchange's key is proven, stored and opens its account; a second factor is set up", async () => {
      const email = `careful-${randomUUID()}@example.com`
      await api(gateway).signup(email)
      const key = { apiKey: `key${randomUUID()}`, apiSecret: `secret${randomUUID()}` }
      exchange.addUser({ ...key, balances: { USDT: "100", BTC: "1" } })
      const fresh = await open()
      await signIn(fresh.page, email)
      await goTo(fresh.page, "keys")
      await fresh.page.getByRole("region", { name: "Keys of exchanges" }).waitFor()
      await keys(fresh.page, "e")
      const form = fresh.page.locator("dialog")
      await form.locator("select").selectOption("BINANCE")
      await form.getByLabel("Name").fill("main")
      await form.getByLabel("Key", { exact: true }).fill(key.apiKey)
      await form.getByLabel("Secret").fill("not the secret")
      await form.getByRole("button", { name: "Prove and store it" }).click()
      await form.getByRole("alert").waitFor()
      await form.getByLabel("Secret").fill(key.apiSecret)
      await form.getByRole("button", { name: "Prove and store it" }).click()
      await fresh.page.locator("tr[data-credential]").getByText("main").waitFor()
      await fresh.page.getByRole("button", { name: "Connect its account" }).click()
      await fresh.page.getByLabel("Trading account").getByText("BINANCE · main").waitFor({ state: "attached" })
      await fresh.page.getByRole("button", { name: "Set it up" }).click()
      const secret = ((await form.locator(".secret").textContent()) ?? "").replaceAll(" ", "")
      await form.getByLabel("Code").fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
      await form.getByRole("button", { name: "Confirm" }).click()
      await form.getByText("Recovery codes, shown this once").waitFor()
      expect(await form.locator("li").count()).toBe(10)
      await fresh.page.keyboard.press("Escape")
      await fresh.page.getByText("It is set up; 10 recovery codes are left.").waitFor()
      expect(await axeFaults(fresh.page)).toEqual([])
      await fresh.page.context().close()
      opened.splice(opened.indexOf(fresh), 1)
    })

    it("by who has to prove it anew: a key is revoked once the password is given, and the page holds no other token", async () => {
      await calls.post("/apiKey/create", { name: "old", scopes: ["read"] })
      const heard: Array<string> = []
      // One that is under way when the page is closed has no text any more.
      page.on("response", async (response) => {
        if (/\/(auth|session)\/\w+$/.test(response.url())) heard.push(await response.text().catch(() => ""))
      })
      await page.route(
        "**/apiKey/revoke",
        (route) =>
          route.fulfill({
            status: 401,
            json: {
              success: false,
              errno: -100_011,
              error: "old",
              data: null,
              details: { code: "REAUTHENTICATION_NEEDED" },
            },
          }),
        { times: 1 },
      )
      await goTo(page, "trade")
      await goTo(page, "keys")
      const row = page.locator("tr", { hasText: "old" })
      await row.getByRole("button", { name: "Revoke" }).dblclick()
      // Nothing was asked for: a proof's dialog would lie over what is pressed next.
      await page.evaluate("document.activeElement?.blur()")
      await row.getByRole("button", { name: "Revoke", exact: true }).click()
      await row.getByRole("button", { name: "Revoke it for good?" }).click()
      const dialog = page.locator("dialog")
      await dialog.getByLabel("Password").fill("not the password")
      await dialog.getByRole("button", { name: "Go on" }).click()
      await dialog.getByRole("alert").waitFor()
      await dialog.getByLabel("Password").fill(PASSWORD)
      await dialog.getByRole("button", { name: "Go on" }).click()
      await row.getByText("REVOKED").waitFor()
      expect(heard.join("")).toContain("accessToken")
      expect(heard.join("")).not.toContain("refreshToken")
    })

    it("by an operator: a ban ends a user's page, rights are given, trading is halted with a reason", async () => {
      const email = `mallory-${randomUUID()}@example.com`
      await api(gateway).signup(email)
      const other = await open()
      await signIn(other.page, email)
      await goTo(page, "operator")
      const row = page.locator(`tr[data-user="${email}"]`)
      await row.getByRole("button", { name: "Ban…" }).click()
      await page.getByLabel("Reason").fill("stolen account")
      await picture("ban")
      await page.locator("dialog").getByRole("button", { name: "Ban", exact: true }).click()
      await row.getByText("banned").waitFor()
      await other.page.getByText("Sign in again.").waitFor()
      await other.page.context().close()
      opened.splice(opened.indexOf(other), 1)
      await row.getByRole("button", { name: "More…" }).click()
      const more = page.locator("dialog")
      await more.getByText("None: from everywhere.").waitFor()
      await more.getByText("None is set up.").waitFor()
      await more.getByLabel("Network").fill("203.0.113.9/24")
      await more.getByRole("button", { name: "Allow" }).click()
      await more.getByRole("button", { name: "All others are shut out at once: go on?" }).click()
      await more.getByText("203.0.113.0/24").waitFor()
      await picture("user-more")
      expect(await axeFaults(page)).toEqual([])
      await page.keyboard.press("Escape")
      // Set up by the user of a test before.
      const careful = page.locator("tr[data-user^=careful-]")
      await careful.locator("small", { hasText: "second factor" }).waitFor()
      await careful.getByRole("button", { name: "More…" }).click()
      await more.getByRole("button", { name: "Reset the second factor" }).click()
      await more.getByRole("button", { name: "Was it asked for by this very user?" }).click()
      await careful.locator("small", { hasText: "second factor" }).waitFor({ state: "detached" })
      await page.getByLabel("New tenant").fill("acme")
      await page.getByRole("button", { name: "Create" }).click()
      await page.getByRole("group", { name: "Tenants" }).getByText("acme").waitFor()
      const networks = page.getByRole("region", { name: "Networks of default" })
      await networks.getByLabel("Network").fill("203.0.113.0/24")
      await networks.getByRole("button", { name: "Allow" }).click()
      await networks.getByRole("button", { name: "All others are shut out at once: go on?" }).click()
      await networks.getByRole("alert").getByText("would shut you out").waitFor()
      await page.getByRole("button", { name: "Halt trading…" }).click()
      await page.getByLabel("Reason").fill("the exchange is down")
      await page.getByLabel("Type cancel_only").fill("cancel_only")
      await picture("halt")
      await page.getByRole("button", { name: "Change to cancel_only" }).click()
      await page.waitForSelector("[data-mode=cancel_only]")
      expect((await calls.get<{ tradingMode: string }>("/health")).record.tradingMode).toBe("cancel_only")
      // Whoever trades sees it, wherever in the console.
      await page.waitForSelector("[data-trading=cancel_only]")
      // The warning moves nothing: the bar is one line as before.
      expect(await page.evaluate<number>(`document.querySelector("header.bar").offsetHeight`)).toBeLessThan(50)
      await calls.post("/admin/tradingMode", { tradingMode: "online", reason: "it is back" })
    })
  })

  describe("ends by itself", () => {
    it("an admin's session, when no page was touched for ADMIN_IDLE_MINUTES, whatever the page itself asks for", async () => {
      const left = await open()
      await left.page.clock.install()
      await left.page.reload()
      await signIn(left.page, FOUNDER)
      const sessions = async () => (await calls.get<ReadonlyArray<unknown>>("/auth/session/list")).record.length
      const before = await sessions()
      await left.page.clock.fastForward(29 * 60_000)
      await left.page.mouse.move(5, 5)
      await left.page.clock.fastForward(29 * 60_000)
      await left.page.waitForSelector("header.bar")
      await left.page.clock.fastForward(2 * 60_000)
      await left.page.getByText("Nothing was done here for 30 minutes").waitFor()
      expect(await sessions()).toBe(before - 1)
      await left.page.context().close()
      opened.splice(opened.indexOf(left), 1)
    })
  })

  describe("outlives its gateway", () => {
    it("says that it is cut, recovers by itself after kill -9, and only reads where CONSOLE says so", async () => {
      await goTo(page, "trade")
      await keys(page, "i")
      await page.getByLabel("Venue").selectOption("MOCK")
      await page.getByLabel("Search").fill("BTC USDT")
      await page.locator(".choices").getByText("BTC/USDT").first().waitFor()
      await page.keyboard.press("Enter")
      await page.waitForSelector("[data-trust=live]")
      const { dataDir } = gateway
      gateway.kill("SIGKILL")
      await page.waitForSelector("[data-link=cut]")
      await page.waitForSelector("[data-trust=cut]")
      expect(await page.locator(".panel.book.stale").count()).toBe(1)
      await picture("gateway-killed")
      expect(await page.locator("button.send").isDisabled()).toBe(true)
      await gateway.exited
      await start(dataDir, { CONSOLE: "read" })
      await page.waitForSelector("[data-link=live]")
      await page.waitForSelector("[data-trust=live]")
      await page.reload()
      await page.getByText("read only").waitFor()
      await page.getByText("This console only reads.").waitFor()
      expect(await page.locator("button.send").isDisabled()).toBe(true)
      // The server refuses, whatever the page would send.
      const refused = page.waitForResponse((response) => response.url().endsWith("/tradeOrder/cancelAll"))
      await page.evaluate(`
        fetch("/console/session/renew", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
          .then((answer) => answer.json())
          .then(({ data }) => fetch("/api/v3/tradeOrder/cancelAll", {
            method: "POST",
            headers: { "content-type": "application/json", authorization: "Bearer " + data.accessToken },
            body: JSON.stringify({ tradingAccountId: ${JSON.stringify(tradingAccountId)} }),
          }))
      `)
      expect((await refused).status()).toBe(403)
    })

    it("lets no page that only reads have a token that writes, however its session was opened", async () => {
      const fresh = await open()
      const heard: Array<string> = []
      fresh.page.on("response", async (response) => {
        if (/\/(auth|session)\/\w+$/.test(response.url())) heard.push(await response.text().catch(() => ""))
      })
      const onlyReads = async (): Promise<void> => {
        const text = heard.splice(0).join("")
        const tokens = [...text.matchAll(/"accessToken":"([^"]+)"/g)].map(([, token]) => token!)
        expect(tokens.length).toBeGreaterThan(0)
        for (const token of tokens) expect((await api(gateway).as(token).post("/wallet/create", {})).status).toBe(403)
        expect(text).not.toContain("refreshToken")
      }
      await fresh.page.getByRole("button", { name: "Sign up" }).click()
      const email = `reader-${randomUUID()}@example.com`
      await fresh.page.getByLabel("E-mail").fill(email)
      await fresh.page.getByLabel("Password").fill("a long enough passphrase")
      await fresh.page.locator("form button[type=submit]").click()
      await fresh.page.getByText("read only").waitFor()
      await onlyReads()
      await fresh.page.getByRole("button", { name: "Sign out" }).click()
      await fresh.page.getByText("You are signed out.").waitFor()
      await api(gateway).post("/auth/recover", { email })
      const mailed = await tokenTo(gateway.dataDir, email, "Recover your password")
      await fresh.page.goto(`${gateway.http}/console#type=recovery&token=${mailed}`)
      await fresh.page.reload()
      await fresh.page.locator("form button[type=submit]").click()
      await fresh.page.waitForSelector("nav a[aria-current=page][href='#/keys']")
      await fresh.page.getByText("read only").waitFor()
      expect(fresh.page.url()).not.toContain(mailed)
      await onlyReads()
      // How its user signs in is neither an order nor money.
      await fresh.page.getByLabel("New password").fill("another long enough passphrase")
      await fresh.page.getByRole("button", { name: "Change it" }).click()
      await fresh.page.getByText("It is changed.").waitFor()
      const again = await api(gateway).post("/auth/login", { email, password: "another long enough passphrase" })
      expect(again.status).toBe(200)
    })
  })
})
