import { expect, test } from 'bun:test'
import { quittance } from '../support/cli.ts'

const commands = [
  'account create',
  'account list',
  'account show',
  'account set-wallet',
  'account rotate-signing-secret',
  'key create',
  'key list',
  'key revoke',
  'audit list',
  'anchor deploy',
  'backfill',
  'deposits list',
  'secrets adopt',
  'receipt redact',
  'trust verify',
  'verify-receipt',
  'migrate',
  'doctor',
]

const page = await Bun.file(new URL('../../docs/commands.md', import.meta.url)).text()

test.each(commands)(
  '%s --help describes the command, as docs/commands.md does',
  async (command) => {
    const { code, text } = await quittance({}, ...command.split(' '), '--help')
    expect(code).toBe(0)
    expect(text).toContain(`Usage: quittance ${command}`)
    expect(text).toContain('--json')
    const shown = page.split('\n').find((line) => line.startsWith(`quittance ${command}`))
    const words = text.split('\n')[0]?.match(/<[^>]+>/g) ?? []
    expect(shown?.match(/<[^>]+>/g) ?? []).toHaveLength(words.length)
    for (const [, option] of text.matchAll(/(--[\w-]+) <[^>]+>.*\(required\)/g))
      expect(shown).toContain(`${option}`)
  },
)

test.each(['--help', 'help'])('%s lists all commands', async (word) => {
  const { code, text } = await quittance({}, word)
  expect(code).toBe(0)
  for (const command of commands) expect(text).toContain(command.split(' ')[0] ?? '')
})

test('2 for no command, an unknown one and an unknown option', async () => {
  for (const words of [[], ['fly'], ['key'], ['migrate', '--fast']]) {
    const { code, text } = await quittance({}, ...words)
    expect([code, text]).toEqual([2, ''])
  }
})

test('help marks required options; --version prints the version', async () => {
  const { text } = await quittance({}, 'backfill', '--help')
  expect(text).toMatch(/--from <block>\s+the first block \(required\)/)
  expect(text).toMatch(/--json\s+print one JSON document instead of text\n/)
  expect(await quittance({}, '--version')).toMatchObject({ code: 0, text: '0.1.0\n' })
})

test('2 for an invalid node URL', async () => {
  for (const url of ['nonsense', 'ftp://node.test']) {
    const words = ['verify-receipt', '/nonexistent.json', '--rpc', url]
    const { code, stderr } = await quittance({}, ...words)
    expect([url, code]).toEqual([url, 2])
    expect(stderr).toContain('must be a URL with http:// or https://')
  }
})

test('3 and a sentence for a missing bundle', async () => {
  const issuer = ['--contract', `0x${'c0'.repeat(20)}`, '--sender', `0x${'5e'.repeat(20)}`]
  const node = ['--rpc', 'http://127.0.0.1:1']
  const words = ['verify-receipt', '/nonexistent.json', ...node, ...issuer]
  const { code, stderr } = await quittance({}, ...words)
  expect([code, stderr]).toEqual([
    3,
    "Nothing can be read from /nonexistent.json: ENOENT: no such file or directory, open '/nonexistent.json'\n",
  ])
})
