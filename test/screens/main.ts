/**
 * `npm run screens`: plays real sessions, the OpenSSH client against the built server, and draws the pictures of
 * docs/screens from what the terminal shows: four screens as SVG, and the first minute as an
 * asciicast and as an SVG that moves.
 *
 *     npm run screens                # writes them
 *     npm run screens -- --check     # plays them too, and fails where a picture would be another one
 *     npm run screens -- --looks DIR # ten other screens, dark and light, at 40 to 120 columns, to look at
 *
 * The model is scripted, and what differs each time (durations, times, ids) is the same in all pictures. This folder knows
 * the server from outside only.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setup } from '../support/build.ts'
import { filmSvg } from './film.ts'
import { LOOKS } from './looks.ts'
import { playFirstMinute, playScenes } from './play.ts'
import { SCENES } from './scenes.ts'
import { screenSvg } from './svg.ts'

const dir = fileURLToPath(new URL('../../docs/screens/', import.meta.url))
const isCheck = process.argv.includes('--check')
const looksAt = process.argv.indexOf('--looks')

await setup()
if (looksAt > 0) {
  const place = process.argv[looksAt + 1] ?? '.'
  for (const [at, look] of LOOKS.entries())
    for (const { name, title, theme, rows } of await playScenes([look]))
      await writeFile(`${place}/${at + 1}-${name}.svg`, screenSvg(rows, title, theme))
  process.exit()
}
const stale: string[] = []
for (const { name, title, rows } of await playScenes(SCENES)) {
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
