/** Wallets of the ledger: what each holds, its statement as journal rows, and transfers between one's own. Amounts are the ledger's own texts. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { components } from "../../../clients/typescript/src/index.ts"
import { digits, shortId } from "../format.ts"
import { listenFor } from "../keyboard.ts"
import { AsOf } from "../parts/as-of.tsx"
import { useLoaded } from "../parts/load.ts"
import { proven } from "../parts/proof.tsx"
import { Empty, Fault, Field, Form, Num, Panel, Table, Time } from "../parts/ui.tsx"
import { canChange, gateway, may } from "../session.ts"
import { Deposit } from "../wallets/deposit.tsx"
import { move } from "../wallets/moves.ts"
import { Moves } from "../wallets/moves.tsx"

type Wallet = components["schemas"]["Wallet"]

const READ_EVERY_MS = 10_000

/** Empty: it has none. */
const nicknameOf = ({ metadata }: Wallet): string => {
  const name = (metadata as Readonly<Record<string, unknown>> | null)?.["nickname"]
  return typeof name === "string" ? name : ""
}

const walletName = (wallet: Wallet): string => `${shortId(wallet.walletId)} ${nicknameOf(wallet)}`.trim()

const Freezing = ({ wallet, again }: { readonly wallet: Wallet; readonly again: () => void }) => {
  const act = (name: "freeze" | "unfreeze") => async (): Promise<void> => {
    await proven(() => gateway.post(`wallet/${name}`, { walletId: wallet.walletId }))
    again()
  }
  if (wallet.status === "FROZEN") return <Form class="inline" button="Unfreeze" onSend={act("unfreeze")} />
  return wallet.status === "ACTIVE" ? (
    <Form
      class="inline"
      danger={true}
      button="Freeze"
      asks="Nothing goes in or out then: freeze it?"
      onSend={act("freeze")}
    />
  ) : null
}

const Statement = ({ wallet, again }: { readonly wallet: Wallet; readonly again: () => void }) => {
  const [asset, setAsset] = useState("")
  const { walletId } = wallet
  const found = useLoaded(
    `statement ${walletId} ${asset}`,
    () => gateway.get("wallet/transfer/list", { walletId, limit: 200, ...(asset === "" ? {} : { asset }) }),
    undefined,
    wallet.updatedAt,
  )
  const rows = found.value ?? []
  const most = Math.max(0, ...rows.map(({ amount }) => digits(amount)))
  return (
    <Panel
      title={`Statement of ${walletName(wallet)}`}
      aside={
        <>
          {may("admin") && canChange() && <Freezing wallet={wallet} again={again} />}
          <select aria-label="Asset" value={asset} onChange={(event) => setAsset(event.currentTarget.value)}>
            <option value="">all assets</option>
            {wallet.balances.map((it) => (
              <option key={it.asset}>{it.asset}</option>
            ))}
          </select>
        </>
      }
    >
      <Fault of={found} />
      {found.value === null && found.fault === null && <Empty>Loading…</Empty>}
      {found.value !== null && rows.length === 0 && <Empty>Nothing has moved yet.</Empty>}
      {rows.length > 0 && (
        <Table
          label="Statement"
          isTall={true}
          heads={
            <>
              <th>Time</th>
              <th>What</th>
              <th class="right">In</th>
              <th class="right">Out</th>
              <th>Asset</th>
              <th>With</th>
              <th>Reference</th>
            </>
          }
        >
          {rows.map((it) => (
            <tr key={`${it.transferId} ${it.direction}`}>
              <td>
                <Time ms={it.createdAt} />
              </td>
              <td>
                {it.code} {it.kind !== "single" && <small class="dim">{it.kind}</small>}
              </td>
              <td class="right buy">{it.direction === "CREDIT" && <Num text={it.amount} digits={most} />}</td>
              <td class="right sell">{it.direction === "DEBIT" && <Num text={it.amount} digits={most} />}</td>
              <td>{it.asset}</td>
              <td class="num dim" title={it.counterWalletId ?? ""}>
                {it.counterWalletId === null ? "–" : shortId(it.counterWalletId)}
              </td>
              <td class="num dim">{it.reference ?? "–"}</td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  )
}

const Transfer = ({ wallets, again }: { readonly wallets: ReadonlyArray<Wallet>; readonly again: () => void }) => {
  const open = wallets.filter(({ status, walletType }) => status === "ACTIVE" && walletType === "CLIENT")
  const [source, setSource] = useState(open[0]?.walletId ?? "")
  const [dest, setDest] = useState(open[1]?.walletId ?? "")
  const [asset, setAsset] = useState("USDT")
  const [amount, setAmount] = useState("")
  const [done, setDone] = useState<string | null>(null)
  const send = async (): Promise<void> => {
    const body = { sourceWalletId: source, destWalletId: dest, asset, amount }
    if (await move({ way: "transfer", body })) setDone(`${amount} ${asset} moved.`)
    setAmount("")
    again()
  }
  const choice = (value: string, set: (id: string) => void) => (
    <select
      value={value}
      onChange={(event) => {
        set(event.currentTarget.value)
        setDone(null)
      }}
    >
      {open.map((it) => (
        <option key={it.walletId} value={it.walletId}>
          {walletName(it)}
        </option>
      ))}
    </select>
  )
  return (
    <Panel title="Transfer">
      {open.length < 2 ? (
        <Empty>It takes two wallets of your own.</Empty>
      ) : (
        <Form onSend={send} button="Transfer">
          <div class="pair">
            <Field label="From">{choice(source, setSource)}</Field>
            <Field label="To">{choice(dest, setDest)}</Field>
          </div>
          <div class="pair">
            <Field label="Amount">
              <input
                class="num"
                inputMode="decimal"
                required
                value={amount}
                onInput={(event) => {
                  setAmount(event.currentTarget.value.trim())
                  setDone(null)
                }}
              />
            </Field>
            <Field label="Asset">
              <input
                required
                value={asset}
                onInput={(event) => {
                  setAsset(event.currentTarget.value.trim().toUpperCase())
                  setDone(null)
                }}
              />
            </Field>
          </div>
          {done !== null && <p role="status">{done}</p>}
        </Form>
      )}
    </Panel>
  )
}

export const WalletsScreen = ({ rest }: { readonly rest: string }) => {
  const found = useLoaded(
    "wallets",
    async () => {
      const all: Array<Wallet> = []
      for await (const wallet of gateway.pages("wallet/list", {})) all.push(wallet)
      return all
    },
    READ_EVERY_MS,
  )
  const wallets = found.value ?? []
  // Where none is chosen the one that was shown stays: a newer wallet comes first in the list, and a form that is being filled must not go.
  const shown = useRef(rest)
  if (rest !== "") shown.current = rest
  const chosen = wallets.find(({ walletId }) => walletId === shown.current) ?? wallets[0]
  shown.current = chosen?.walletId ?? rest
  const step = (by: 1 | -1): void => {
    const at = chosen === undefined ? 0 : wallets.indexOf(chosen) + by
    const next = wallets[Math.max(0, Math.min(wallets.length - 1, at))]
    if (next !== undefined) location.hash = `#/wallets/${next.walletId}`
  }
  const stepping = useRef(step)
  stepping.current = step
  useLayoutEffect(() => listenFor("wallets", { j: () => stepping.current(1), k: () => stepping.current(-1) }), [])
  const most = (of: (it: Wallet["balances"][number]) => string): number =>
    Math.max(0, ...wallets.flatMap(({ balances }) => balances.map((it) => digits(of(it)))))
  const [available, held] = [most((it) => it.available), most((it) => it.held)]
  return (
    <div class="column">
      <div class="side-by-side">
        <Panel
          title="Wallets"
          aside={
            <>
              <AsOf of={found} everyMs={READ_EVERY_MS} />
              {may("write") && (
                <Form
                  class="inline"
                  button="New wallet"
                  onSend={async () => {
                    await gateway.post("wallet/create", {})
                    found.again()
                  }}
                />
              )}
            </>
          }
        >
          <Fault of={found} />
          {found.value !== null && wallets.length === 0 && <Empty>You have none yet.</Empty>}
          {wallets.length > 0 && (
            <Table
              label="Wallets"
              isTall={true}
              heads={
                <>
                  <th>Wallet</th>
                  <th>Asset</th>
                  <th class="right">Available</th>
                  <th class="right">Held</th>
                </>
              }
            >
              {wallets.flatMap((it) =>
                (it.balances.length === 0 ? [null] : it.balances).map((balance, at) => (
                  <tr key={`${it.walletId} ${balance?.asset}`} class={it === chosen ? "chosen" : ""}>
                    <td>
                      {at === 0 && (
                        <>
                          <a href={`#/wallets/${it.walletId}`} class="num" title={it.walletId}>
                            {shortId(it.walletId)}
                          </a>{" "}
                          {nicknameOf(it)} <small class="dim">{it.walletType}</small>{" "}
                          {it.status !== "ACTIVE" && <span class="badge bad">{it.status}</span>}
                        </>
                      )}
                    </td>
                    <td>{balance?.asset ?? <span class="dim">empty</span>}</td>
                    <td class="right">{balance !== null && <Num text={balance.available} digits={available} />}</td>
                    <td class="right dim">{balance !== null && <Num text={balance.held} digits={held} />}</td>
                  </tr>
                )),
              )}
            </Table>
          )}
        </Panel>
        {may("write") && found.value !== null && <Transfer wallets={wallets} again={found.again} />}
        {may("admin") && canChange() && found.value !== null && (
          <Deposit key={chosen?.walletId} walletId={chosen?.walletId ?? ""} again={found.again} />
        )}
      </div>
      <Moves again={found.again} />
      {chosen !== undefined && <Statement key={chosen.walletId} wallet={chosen} again={found.again} />}
    </div>
  )
}
