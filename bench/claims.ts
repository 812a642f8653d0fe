/** What a benchmark has measured, by claim: mostly ratios, whose unit is 1. */
export type Claims = Readonly<Record<string, string>>

/** The last line of every benchmark, which `bun run bench` puts into the table of `bench/README.md`. */
export function claim(claims: Claims): void {
  console.log(JSON.stringify({ claims }))
}
