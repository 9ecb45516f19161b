/**
 * `npm run screens`: plays real sessions, the OpenSSH client against the built server, and draws the pictures of
 * docs/screens from what the terminal shows: four screens as SVG, and the first minute as an
 * asciicast and as an SVG that moves.
 *
 *     npm run screens                # writes them
 *     npm run screens -- --check     # plays them too, and fails where a picture would be another one
 *
 * The model is scripted, and what differs each time (durations, times, ids) is the same in all pictures. This folder knows
 * the server from outside only.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setup } from '../support/build.ts'
import { filmSvg } from './film.ts'
import { playFirstMinute, playScenes } from './play.ts'
import { screenSvg } from './svg.ts'

const dir = fileURLToPath(new URL('../../docs/screens/', import.meta.url))
const isCheck = process.argv.includes('--check')

await setup()
const stale: string[] = []
for (const { name, title, rows } of await playScenes()) {
  const file = `${dir}${name}.svg`
  const svg = screenSvg(rows, title)
  if (!isCheck) await writeFile(file, svg)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== svg) stale.push(file)
}
const cast = await playFirstMinute()
if (!isCheck) {
  await writeFile(`${dir}first-minute.cast`, cast)
  await writeFile(`${dir}first-minute.svg`, await filmSvg(cast))
}
for (const file of stale)
  console.error(`${file} is not what the session shows now: npm run screens writes it anew`)
if (stale.length > 0) process.exitCode = 1
