import { DomainError } from '../../domain/error.ts'
import { programFile } from '../../files.ts'
import { createConcurrencyLimit } from '../../scheduling/limiter.ts'
import type { LogoJob } from './draw.ts'

/** Of computing, so that a busy machine refuses no more than an idle one. */
const mostCpuSeconds = 3
const deadlineMs = 20_000
const maxWaitMs = 5_000

/**
 * Draws logos, each in a process of its own: nothing but its end stops what draws one. Accounts
 * take turns, since each may keep a core busy until the deadline.
 */
export function createLogoDrawing() {
  const drawing = new Set<string>()
  const turns = createConcurrencyLimit({
    ...{ total: 1, perKey: 1, maxWaitMs },
    refusal: () => refused('Too many logos are being drawn; try again shortly'),
  })

  /** As `drawLogo`. Errors: `invalid_state`: it takes too long, or another one is being drawn. */
  return async (job: LogoJob, accountId: string): Promise<Uint8Array> => {
    if (drawing.has(accountId))
      throw refused('Another logo of this account is being drawn; try again when it is done')
    drawing.add(accountId)
    try {
      return await turns.run(accountId, () => drawnApart(job))
    } finally {
      drawing.delete(accountId)
    }
  }
}

async function drawnApart(job: LogoJob): Promise<Uint8Array> {
  const program = programFile('documents/logo/draw-logo.ts')
  const limited = ['/bin/sh', '-c', `ulimit -t ${mostCpuSeconds}; exec "$@"`, 'draw-logo']
  const child = Bun.spawn(
    [...limited, process.execPath, '--no-orphans', '--no-env-file', program],
    {
      stdin: new Blob([JSON.stringify(job)]),
      stderr: 'ignore',
      // Not our own, which has secrets.
      env: {},
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
    },
  )
  const png = await child.stdout.bytes()
  if ((await child.exited) !== 0)
    throw refused('The logo takes too long to draw: use a simpler one')
  return png
}

function refused(message: string): DomainError {
  return new DomainError('invalid_state', message)
}
