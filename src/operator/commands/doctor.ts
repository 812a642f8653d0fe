import { Command } from 'commander'
import { jsonOption, print } from '../output.ts'

const marks = { ok: '✓', note: '·', problem: '✗' }

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check configuration, keys, database, clocks, Redis, chains and anchor contract')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      // Loaded here: it brings everything that talks to chains and queues, which takes longer than
      // most commands.
      const { diagnose } = await import('../doctor/doctor.ts')
      const findings = await diagnose()
      const lines = findings.flatMap(({ verdict, what, detail, remedy }) => [
        `${marks[verdict]} ${what}: ${detail}`,
        ...(remedy ? [`    ${remedy}`] : []),
      ])
      // What is wrong with the configuration takes several lines.
      print(
        options,
        findings,
        lines.flatMap((line) => line.split('\n')),
      )
      if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1
    })
}
