import { expect, test } from 'bun:test'

const logging = `
  import { createLog } from './src/telemetry/log.ts'
  import { terminalOutput } from './src/telemetry/terminal.ts'
  const log = createLog('info', terminalOutput())
  log.info({ blocks: 3 }, 'read')
  log.warn({ name: 'a\\u001b[2Jb\\u009b1c', apiKey: 'hunter2', path: 'C:\\\\u001b' }, 'odd\\u0007')
  log.error({ err: new Error('\\u001b[31mdown') }, 'failed')`

async function printed(env: Readonly<Record<string, string>>): Promise<string> {
  const child = Bun.spawn([process.execPath, '-e', logging], {
    cwd: `${import.meta.dir}/../..`,
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  return child.stdout.text()
}

test('a line for people has time, level, message and the rest, without secrets', async () => {
  const text = await printed({ NO_COLOR: '1' })
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: read {"blocks":3}\n/)
  expect(text).toContain('ERROR: failed \n')
  expect(text).not.toContain('hunter2')
})

test('no text from elsewhere steers the terminal', async () => {
  const text = await printed({ NO_COLOR: '1' })
  expect(text).not.toMatch(/[^\n\P{Cc}]/u)
  expect(text).toContain('a\\u001b[2Jb\\u009b1c')
})
