/** What a benchmark has measured, by claim. */
export type Claims = Readonly<Record<string, string>>

/** A line for `bun run bench`, which puts the claims of all benchmarks into the table of `bench/README.md`. */
export function claim(claims: Claims): void {
  console.log(JSON.stringify({ claims }))
}

/** Those of a benchmark's output. */
export function claimsIn(output: string): Claims {
  const lines = output.split('\n').filter((line) => line.startsWith('{"claims":'))
  return Object.assign({}, ...lines.map((line) => (JSON.parse(line) as { claims: Claims }).claims))
}
