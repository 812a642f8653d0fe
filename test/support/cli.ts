const root = Bun.fileURLToPath(new URL('../../', import.meta.url))

export type Ran = {
  readonly code: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: every command prints another document
  readonly json: any
  readonly complaint: string
}

/** `quittance <words>` as an operator runs it: its own process, configured by environment alone. */
export async function quittance(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<Ran> {
  const child = startQuittance(env, ...words)
  const [text, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, text, json: parse(text), complaint }
}

/** The same, still running. */
export function startQuittance(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env
  return Bun.spawn([process.execPath, '--no-orphans', 'src/cli.ts', ...words], {
    cwd: root,
    // Nothing of the caller's own configuration, or a test would depend on the machine it runs on.
    env: { PATH, HOME, TMPDIR, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
