import { expect, test } from 'bun:test'

// `npm run check` has no packages of others to check them against.
test('the tests of other people’s clients have the right types', async () => {
  const run = Bun.spawn(['node_modules/.bin/tsc', '--noEmit', '-p', import.meta.dir], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect([await run.stdout.text(), await run.exited]).toEqual(['', 0])
})
