/** The results of a benchmark: a value for each claim. */
export type Claims = Readonly<Record<string, string>>

/** Prints a line from which `bun run bench` updates the table of claims in `bench/README.md`. */
export function claim(claims: Claims): void {
  console.log(JSON.stringify({ claims }))
}

/** The claims in a benchmark's output. */
export function claimsIn(output: string): Claims {
  const lines = output.split('\n').filter((line) => line.startsWith('{"claims":'))
  return Object.assign({}, ...lines.map((line) => (JSON.parse(line) as { claims: Claims }).claims))
}
