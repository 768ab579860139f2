/** The health record as numbers, so that an alert can ask for what a load balancer sees: 0 healthy, 1 degraded, 2 unhealthy. */
import type { Reading } from "../ports/meters.ts"
import { by, reading } from "./exposition.ts"

const VALUE = { healthy: 0, degraded: 1, unhealthy: 2 } as const
type Status = keyof typeof VALUE

interface Health {
  readonly status: Status
  readonly checks: Readonly<Record<string, { readonly status: Status }>>
}

/** Without a record yet: the names, and nothing that could be taken for a finding. */
export const healthMetrics = (record: Health | undefined): ReadonlyArray<Reading> => {
  const checks = Object.entries(record?.checks ?? {}).map(([name, { status }]) => [name, VALUE[status]] as const)
  return [
    reading("health_status", record === undefined ? [] : VALUE[record.status]),
    reading("health_check", by("check", Object.fromEntries(checks))),
  ]
}
