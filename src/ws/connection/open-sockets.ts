/** How many sockets each user and each address has open. */
export class OpenSockets {
  private readonly counts = new Map<string, number>()

  constructor(
    /** Of one name; null: any number. */
    readonly max: number | null,
  ) {}

  isFull(name: string): boolean {
    return this.max !== null && (this.counts.get(name) ?? 0) >= this.max
  }

  enter(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  leave(name: string): void {
    const count = (this.counts.get(name) ?? 0) - 1
    if (count > 0) this.counts.set(name, count)
    else this.counts.delete(name)
  }
}
