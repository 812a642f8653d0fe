import { dirname } from 'node:path'
import { programFile } from '../../src/files.ts'

export type Service = {
  readonly url: string
  readonly process: Bun.Subprocess
  readonly lines: readonly Record<string, unknown>[]
  /** Answers the exit code. */
  stop(): Promise<number>
  kill(): Promise<void>
}

const startLimitMs = 50_000

/** In its own process, configured only by `env`; `program` is its source, or another one's. */
export async function startService(
  env: Readonly<Record<string, string>>,
  program: string = programFile('main.ts'),
): Promise<Service> {
  const child = Bun.spawn([process.execPath, '--no-orphans', program], {
    cwd: dirname(dirname(program)),
    // A test must not depend on the configuration of its machine.
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      TMPDIR: process.env.TMPDIR ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const lines: Record<string, unknown>[] = []
  let complaint = ''
  const complaining = collect(child.stderr, (text) => {
    complaint += text
  })
  const ready = new Promise<string>((resolve) => {
    let rest = ''
    void collect(child.stdout, (text) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const line = JSON.parse(part) as Record<string, unknown>
        lines.push(line)
        if (line.msg === 'ready') resolve(String(line.url))
      }
    })
  })
  const late = setTimeout(() => child.kill('SIGKILL'), startLimitMs)
  const url = await Promise.race([ready, child.exited])
  clearTimeout(late)
  if (typeof url !== 'string') {
    // A server that it has left running would hold the pipe.
    await Promise.race([complaining, Bun.sleep(1_000)])
    throw new Error(`the service did not start (${url}): ${complaint}`)
  }
  return {
    url,
    process: child,
    lines,
    async stop() {
      child.kill('SIGTERM')
      return child.exited
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}
