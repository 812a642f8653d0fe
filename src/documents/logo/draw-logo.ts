/** A program: draws the `LogoJob` of its standard input, as JSON, to its standard output. */
import { drawLogo } from './draw.ts'

await Bun.write(Bun.stdout, await drawLogo(await Bun.stdin.json()))
