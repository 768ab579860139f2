/** The newest rows of the audit: who did what, to what, and with what result. */
import { shortId } from "../format.ts"
import { AsOf } from "../parts/as-of.tsx"
import { useLoaded } from "../parts/load.ts"
import { Fault, Panel, Table, Time } from "../parts/ui.tsx"
import { gateway } from "../session.ts"

const READ_EVERY_MS = 3_000

/** An id as its user's address, or the part of it that tells it from others. */
const Named = ({ id, nameOf }: { readonly id: string; readonly nameOf: (id: string) => string | undefined }) => {
  const name = nameOf(id)
  return name === undefined ? <small class="dim num">{shortId(id)}</small> : <span>{name}</span>
}

/** `nameOf`: the address of a user of the tenant. */
export const Audit = ({ nameOf }: { readonly nameOf: (id: string) => string | undefined }) => {
  const found = useLoaded("audit", () => gateway.get("audit/list", { limit: 100 }), READ_EVERY_MS)
  return (
    <Panel
      title="Audit"
      aside={
        <>
          <AsOf of={found} everyMs={READ_EVERY_MS} />
          <small class="dim">the newest 100</small>
        </>
      }
    >
      <Fault of={found} />
      <Table
        label="Acts"
        isTall={true}
        heads={
          <>
            <th>Time</th>
            <th>Act</th>
            <th>Result</th>
            <th>By</th>
            <th>On</th>
            <th>Words</th>
          </>
        }
      >
        {(found.value ?? []).map((it) => (
          <tr key={it.actId}>
            <td>
              <Time ms={it.at} />
            </td>
            <td>{it.action}</td>
            <td class={it.result === "ok" ? "" : "fault"}>{it.result}</td>
            <td title={it.userAgent ?? ""}>
              {it.userId === null ? it.actorKind : <Named id={it.userId} nameOf={nameOf} />}{" "}
              <small class="dim num">{it.ip}</small>
            </td>
            <td title={it.objectId ?? ""}>
              {it.objectType}{" "}
              {it.objectId !== null &&
                (it.objectType === "TENANT" ? it.objectId : <Named id={it.objectId} nameOf={nameOf} />)}
            </td>
            <td class="wrap">
              {it.amount === null ? "" : `${it.amount} ${it.asset} `}
              {it.what}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  )
}
