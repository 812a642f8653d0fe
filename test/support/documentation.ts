import { freePort } from './free-port.ts'
import { eventually } from './wait.ts'

const root = Bun.fileURLToPath(new URL('../../', import.meta.url))

/** The fenced blocks of `language` in a document, at least one. */
export async function blocksOf(file: string, language: string): Promise<readonly string[]> {
  const text = await Bun.file(root + file).text()
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')
  const blocks = Array.from(text.matchAll(fence), ([, block = '']) => block)
  if (blocks.length === 0) throw new Error(`${file} has no ${language} block`)
  return blocks
}

/** All shell blocks as one script. */
export async function shellOf(file: string): Promise<string> {
  return (await blocksOf(file, 'sh')).join('\n')
}

/** Feeds a document's `program` to `command`; answers its output or rejects with its complaint. */
export async function printed(
  command: readonly string[],
  program: string,
  env: Readonly<Record<string, string>>,
  cwd = root,
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: new TextEncoder().encode(program),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${complaint}\n${output}`)
  return output
}

/**
 * Starts a webhook receiver from a document, on a free port, until `stop`. `heard.text` is what it
 * has printed so far.
 */
export async function startDocumentedReceiver(
  command: readonly string[],
  program: string,
  webhookSecret: string,
  cwd = root,
) {
  const port = freePort()
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: `${port}`, WEBHOOK_SECRET: webhookSecret },
    stdin: new TextEncoder().encode(program),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const heard = { text: '' }
  void (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) heard.text += text
  })()
  const url = `http://127.0.0.1:${port}/`
  const isUp = async () => (await fetch(url, { method: 'POST' }).catch(() => null)) !== null
  await eventually(isUp)
  return {
    url,
    heard,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

/** The path of a `python3` that runs, or null. */
export async function workingPython(): Promise<string | null> {
  const found = Bun.which('python3')
  if (found === null) return null
  const tried = Bun.spawn([found, '-c', ''], { stdout: 'ignore', stderr: 'ignore' })
  return (await tried.exited) === 0 ? found : null
}
