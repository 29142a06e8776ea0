import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where texts are published: a folder inside the project. */
const FOLDER = '.retinue/data/published'

/** What was built says where its data is; else it is this example's own folder, wherever the process was started. */
const project = (): string => process.env['RETINUE_ROOT'] ?? fileURLToPath(new URL('../../../', import.meta.url))

/** So many texts of one title have a name each. */
const MOST_OF_A_NAME = 1000
const LONGEST_NAME = 60

/**
 * Writes a text into the folder, as a file that is named by its title, and gives the file's path in the project. A name has letters,
 * digits and hyphens alone, so none leads out of the folder; a folder that is a link is refused; no file is ever replaced.
 */
export async function publishText(text: string, root: string = project()): Promise<string> {
  const folder = join(await realpath(root), FOLDER)
  await mkdir(folder, { recursive: true })
  if ((await realpath(folder)) !== folder) throw new Error(`${FOLDER} leads out of the project: nothing was published.`)
  const name = nameOf(text)
  for (let time = 1; time <= MOST_OF_A_NAME; time++) {
    const file = time === 1 ? `${name}.md` : `${name}-${time}.md`
    if (await isWritten(join(folder, file), text)) return `${FOLDER}/${file}`
  }
  throw new Error(`There are ${MOST_OF_A_NAME} texts called "${name}" already.`)
}

/** False where something is already: a file, a folder or a link. */
async function isWritten(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, `${text.trimEnd()}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** `# Rwanda and Burundi` is `rwanda-and-burundi`: as many whole words as there is room for. */
function nameOf(text: string): string {
  const title = text.split('\n').find((line) => line.trim() !== '') ?? ''
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[a-z0-9]+/g) ?? []
  const name = words.reduce((before, word) => {
    const longer = before === '' ? word : `${before}-${word}`
    return longer.length > LONGEST_NAME ? before : longer
  }, '')
  return name || 'untitled'
}
