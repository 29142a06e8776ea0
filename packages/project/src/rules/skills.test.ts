import { expect, test } from 'vitest'
import {
  agent,
  agentsProject,
  below,
  codesOfBoth,
  config,
  type Files,
  findingsOf,
  MODEL,
  toldOf,
  tool,
} from '../../test-support/temp-project.ts'

const skills = (files: Files, more: Files = {}): Files => agent('sup', { ...below('skills', files), ...more })

const HEAD = '---\ndescription: Does a thing.\n---\n'
const SKILL = `${HEAD}Do it.\n`
const coded = (fields: string): string => {
  return `import { createSkill } from '@retinue/core/skills'\nexport default createSkill({ ${fields} })\n`
}

test('B11.2 the three forms of a skill, with all that each may hold', async () => {
  const head = `---
name: whole
description: >
  Does a thing
  in parts.
license: LICENSE.txt has it
compatibility: Needs the internet.
metadata:
  author: me
  version: 1.0
allowed-tools: Bash(git:*) search
---

# Whole

See [the parts](references/parts.md#one "Parts"), [the site](https://example.com/a.md), [above](#whole),
references/deep/more.txt, \`assets/form.json\` and [the notes](./NOTES.md).
`
  const files = {
    'whole/SKILL.md': head,
    'whole/references/parts.md': '# One\n',
    'whole/references/README.md': 'Read me.\n',
    'whole/references/deep/more.txt': 'More.\n',
    'whole/assets/form.json': '{}',
    'whole/NOTES.md': '',
    'whole/LICENSE.txt': 'Free.',
    'whole/README.md': 'For people.',
    'flat.md': SKILL,
    'other-file.md': '---\nname: renamed\ndescription: Does more.\n---\nDo it.\n',
    'coded.ts': coded("name: 'in-code', description: 'Does.', instructions: () => 'Do.'"),
    'plain.js': "export default { description: 'Does.', instructions: 'Do.' }\n",
    'README.md': 'What the skills are.',
  }
  expect(await findingsOf(skills(files))).toEqual([])
})

test('S25 a byte order mark, CRLF and blank lines before the frontmatter are normal', async () => {
  const files = {
    'bom.md': `\uFEFF${SKILL}`,
    'crlf/SKILL.md': `\uFEFF${SKILL}`.replaceAll('\n', '\r\n'),
    'blank.md': `\n \n${SKILL}`,
    'open.md': `${HEAD}Do it.`,
  }
  expect(await findingsOf(skills(files))).toEqual([])
})

test('S25 what is no UTF-8 or can not be read is an error with its path', async () => {
  const utf16 = Buffer.from(`\uFEFF${SKILL}`, 'utf16le')
  const files = {
    'flat.md': utf16,
    'folder/SKILL.md': utf16,
    'refs/SKILL.md': SKILL,
    'refs/references/a.md': utf16,
    'refs/references/b.txt': Buffer.from([0x61, 0xe9]),
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "error[file-unreadable] sup/skills/flat.md:1:1 (sup)
      "sup/skills/flat.md" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8
    error[file-unreadable] sup/skills/folder/SKILL.md:1:1 (sup)
      "sup/skills/folder/SKILL.md" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8
    error[file-unreadable] sup/skills/refs/references/a.md:1:1 (sup)
      "sup/skills/refs/references/a.md" can't be read: it is UTF-16; only UTF-8 is read
      fix: save it as UTF-8
    error[file-unreadable] sup/skills/refs/references/b.txt:1:1 (sup)
      "sup/skills/refs/references/b.txt" can't be read: it is not valid UTF-8
      fix: save it as UTF-8"
  `)
})

test('S25 a picture in references/ is ignored, as in assets/, with a fix that can be done', async () => {
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0x00])
  const files = { 'refs/SKILL.md': SKILL, 'refs/references/deep/b.png': picture, 'refs/assets/c.png': picture }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "warning[entry-ignored] sup/skills/refs/assets/c.png:1:1 (sup)
      the file "sup/skills/refs/assets/c.png" is ignored: it is no UTF-8 text, and a skill is read as text
      fix: remove it, or let a tool of your own read it
    warning[entry-ignored] sup/skills/refs/references/deep/b.png:1:1 (sup)
      the file "sup/skills/refs/references/deep/b.png" is ignored: it is no UTF-8 text, and a skill is read as text
      fix: remove it, or let a tool of your own read it"
  `)
})

test('B11.11 what is missing or wrong, each at its line', async () => {
  const files = {
    'none.md': 'Do it.\n',
    'empty.md': '',
    'no-description/SKILL.md': '---\nname: no-description\ndescription:\n---\nDo it.\n',
    'blank.md': "---\ndescription: '  '\n---\nDo it.\n",
    'long.md': `---\ndescription: ${'d'.repeat(1025)}\n---\nDo it.\n`,
    'list.md': '---\ndescription: [a]\n---\nDo it.\n',
    'no-text.md': '---\ndescription: Does.\n---\n\n',
    'Bad Name.md': SKILL,
    'wrong.md': '---\nname: Wrong_Name\ndescription: Does.\n---\nDo it.\n',
    'number.md': '---\nname: 12\ndescription: Does.\n---\nDo it.\n',
    'rest.md':
      "---\ndescription: Does.\nlicense: [MIT]\ncompatibility: ''\nmetadata: none\nallowed-tools: { a: b }\n---\nDo it.\n",
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "error[skill-invalid] sup/skills/Bad Name.md:1:1 (sup)
      the skill "skills/Bad Name.md" has no name, and "Bad Name" can't be one
      fix: write name: 'bad-name'
    error[skill-invalid] sup/skills/blank.md:2:14 (sup)
      the description of the skill "skills/blank.md" is blank
      fix: write description: 'What the skill does, and when to use it.'
    error[skill-invalid] sup/skills/empty.md:1:1 (sup)
      the skill "skills/empty.md" has no description
      fix: begin the file with a line of ---, a line with description: 'What the skill does, and when to use it.', and another line of ---
    error[skill-invalid] sup/skills/empty.md:1:1 (sup)
      the skill "skills/empty.md" has no instructions
      fix: write what the model shall do, below the frontmatter
    error[skill-invalid] sup/skills/list.md:2:14 (sup)
      the description of the skill "skills/list.md" can't be used
      fix: write a text of at most 1024 characters that says what the skill does and when to use it
    error[skill-invalid] sup/skills/long.md:2:14 (sup)
      the description of the skill "skills/long.md" can't be used
      fix: write a text of at most 1024 characters that says what the skill does and when to use it
    error[skill-invalid] sup/skills/no-description/SKILL.md:3:1 (sup)
      the skill "skills/no-description/SKILL.md" has no description
      fix: write description: 'What the skill does, and when to use it.'
    error[skill-invalid] sup/skills/no-text.md:4:1 (sup)
      the skill "skills/no-text.md" has no instructions
      fix: write what the model shall do, below the frontmatter
    error[skill-invalid] sup/skills/none.md:1:1 (sup)
      the skill "skills/none.md" has no description
      fix: begin the file with a line of ---, a line with description: 'What the skill does, and when to use it.', and another line of ---
    error[skill-invalid] sup/skills/number.md:2:7 (sup)
      the name of the skill "skills/number.md" can't be used
      fix: write name: '12'
    error[skill-invalid] sup/skills/rest.md:3:10 (sup)
      the license of the skill "skills/rest.md" can't be used
      fix: write text
    error[skill-invalid] sup/skills/rest.md:4:16 (sup)
      the compatibility of the skill "skills/rest.md" is blank
      fix: write text
    error[skill-invalid] sup/skills/rest.md:5:11 (sup)
      the metadata of the skill "skills/rest.md" can't be used
      fix: write keys with values below it
    error[skill-invalid] sup/skills/rest.md:6:16 (sup)
      the allowed-tools of the skill "skills/rest.md" can't be used
      fix: write the names of tools, with blanks between them
    error[skill-invalid] sup/skills/wrong.md:2:7 (sup)
      the name of the skill "skills/wrong.md" can't be used
      fix: write name: 'wrong-name'"
  `)
})

test('B11.11 the same for modules', async () => {
  const files = {
    'a.ts':
      "export default {\n  name: 'A',\n  description: ' ',\n  instructions: 5,\n  references: [],\n  licence: 'MIT',\n}\n",
    'Bad Name.ts': "export default { description: 'Does.', instructions: 'Do.' }\n",
    'b.ts': "export const skill = { name: 'b' }\n",
    'c.ts': 'export default [5]\n',
    'd.ts.md': SKILL,
    'e.ts': "export default () => ({ name: 'e' })\n",
    'f.ts': "export default Promise.resolve({ name: 'f' })\n",
    'g.ts': coded("name: 'G', description: 'Does.', instructions: 'Do.'"),
    'h.ts': tool(),
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "error[skill-invalid] sup/skills/Bad Name.ts:1:16 (sup)
      the name of the skill "skills/Bad Name.ts" can't be used
      fix: write name: 'bad-name'
    error[skill-invalid] sup/skills/a.ts:2:9 (sup)
      the name of the skill "skills/a.ts" can't be used
      fix: write name: 'a'
    error[skill-invalid] sup/skills/a.ts:3:16 (sup)
      the description of the skill "skills/a.ts" is blank
      fix: write description: 'What the skill does, and when to use it.'
    error[skill-invalid] sup/skills/a.ts:4:17 (sup)
      the instructions of the skill "skills/a.ts" can't be used
      fix: write text, or a function that gives it
    error[skill-invalid] sup/skills/a.ts:5:15 (sup)
      the references of the skill "skills/a.ts" can't be used
      fix: write an object of texts, or of functions that give them, by path
    error[skill-invalid] sup/skills/a.ts:6:3 (sup)
      "licence" means nothing in the skill "skills/a.ts"
      fix: did you mean "license"? known are name, description, instructions, references, license, compatibility, metadata, allowedTools
    error[default-export-invalid] sup/skills/b.ts:1:1 (sup)
      "skills/b.ts" has no default export; it exports only "skill"
      fix: write: export default createSkill({ name, description, instructions })
    error[default-export-invalid] sup/skills/c.ts:1:16 (sup)
      "skills/c.ts" exports a list as its default
      fix: write: export default createSkill({ name, description, instructions })
    error[skill-invalid] sup/skills/d.ts.md:1:1 (sup)
      the skill "skills/d.ts.md" has no name, and "d.ts" can't be one
      fix: write name: 'd-ts'
    error[default-export-invalid] sup/skills/e.ts:1:16 (sup)
      "skills/e.ts" exports a function as its default
      fix: write: export default createSkill({ name, description, instructions })
    error[default-export-invalid] sup/skills/f.ts:1:16 (sup)
      "skills/f.ts" exports a promise as its default
      fix: await it: export default await …
    error[module-failed] sup/skills/g.ts:2:16 (sup)
      "sup/skills/g.ts" could not be loaded: RetinueError: The name of the skill "G" can't be used.
      fix: It is 1 to 64 letters a-z, digits and single hyphens, such as "pdf-forms".
    error[default-export-invalid] sup/skills/h.ts:2:16 (sup)
      "skills/h.ts" exports a tool as its default
      fix: write: export default createSkill({ name, description, instructions })"
  `)
})

test('B11.11 a frontmatter that does not parse: its file and line, and nothing that follows from it', async () => {
  const files = {
    'colon.md': '---\ndescription: Use it: now\n---\nDo it.\n',
    'open/SKILL.md': '\n---\ndescription: Does.\n\nDo it.\n',
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "error[frontmatter-invalid] sup/skills/colon.md:2:14 (sup)
      the frontmatter of "skills/colon.md" can't be read: Nested mappings are not allowed in compact mappings
      fix: write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes
    error[frontmatter-invalid] sup/skills/open/SKILL.md:2:1 (sup)
      the frontmatter of "skills/open/SKILL.md" can't be read: no second line of --- ends the frontmatter
      fix: write "key: value" lines between two lines of ---; put a value that holds ": " or "#" into quotes"
  `)
})

test('agentskills.io: a name that is not the name of the folder, and keys that are not known', async () => {
  const files = {
    'pdf/SKILL.md': '---\nname: pdf-forms\ndescription: Fills in.\nversion: 2\nAllowed-tools: search\n---\nDo it.\n',
    'case/SKILL.md': '---\nname: Case\ndescription: Does.\n---\nDo it.\n',
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "error[skill-invalid] sup/skills/case/SKILL.md:2:7 (sup)
      the name of the skill "skills/case/SKILL.md" can't be used
      fix: write name: 'case'
    warning[skill-name-differs] sup/skills/pdf/SKILL.md:2:7 (sup)
      the skill in the folder "pdf" is called "pdf-forms"
      fix: rename the folder to "pdf-forms", or write name: pdf
    warning[skill-key-unknown] sup/skills/pdf/SKILL.md:4:1 (sup)
      "version" means nothing in the frontmatter of a skill
      fix: move it under "metadata", or remove it; known are name, description, license, compatibility, metadata, allowed-tools
    warning[skill-key-unknown] sup/skills/pdf/SKILL.md:5:1 (sup)
      "Allowed-tools" means nothing in the frontmatter of a skill
      fix: did you mean "allowed-tools"?"
  `)
})

test('B1.5 two skills of one name, whatever they are made of', async () => {
  const files = {
    'a.md': SKILL,
    'a/SKILL.md': SKILL,
    'b.ts': coded("name: 'a', description: 'Does.', instructions: 'Do.'"),
    'c.md': SKILL,
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "error[skill-duplicate] sup/skills/a.md:1:1 (sup)
      two skills are called "a": sup/skills/a/SKILL.md and sup/skills/a.md
      fix: rename or remove one of them
    error[skill-duplicate] sup/skills/b.ts:1:1 (sup)
      two skills are called "a": sup/skills/a/SKILL.md and sup/skills/b.ts
      fix: rename or remove one of them"
  `)
})

test('B11.1 two modules of one name: the better extension wins', async () => {
  const files = {
    'a.ts': coded("name: 'a', description: 'D.', instructions: 'I.'"),
    'a.js': 'throw new Error("run")\n',
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/skills/a.js:1:1 (sup)
      skill: "sup/skills/a.ts" wins over "sup/skills/a.js"
      fix: remove one of the two (sup/skills/a.ts, sup/skills/a.js)"
  `)
})

test("B11.4 the config's skills win, with a warning that names both", async () => {
  const own = (fields: string): string => config(`${MODEL}, skills: ${fields}`)
  const one = "{ name: 'a', description: 'Does.', instructions: 'Do.' }"
  const files = {
    'a.md': SKILL,
    'b/SKILL.md': SKILL.replace('description', 'name: a\ndescription'),
    'c.ts': `export default ${one}\n`,
  }
  expect(await toldOf(skills(files, { 'config.ts': own(`[${one}]`) }))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/skills/a.md:1:1 (sup)
      skill "a": "skills in sup/config.ts" wins over "sup/skills/a.md"
      fix: remove one of the two (skills in sup/config.ts, sup/skills/a.md)
    warning[source-overridden] sup/skills/b/SKILL.md:1:1 (sup)
      skill "a": "skills in sup/config.ts" wins over "sup/skills/b/SKILL.md"
      fix: remove one of the two (skills in sup/config.ts, sup/skills/b/SKILL.md)
    warning[source-overridden] sup/skills/c.ts:1:16 (sup)
      skill "a": "skills in sup/config.ts" wins over "sup/skills/c.ts"
      fix: remove one of the two (skills in sup/config.ts, sup/skills/c.ts)"
  `)
  expect(await findingsOf(skills({ 'a.md': SKILL }, { 'config.ts': own(`() => [${one}]`) }))).toEqual([])
})

test('B1.1 what is wrong with the skills of a config is told at them', async () => {
  const own = `export default {\n  ${MODEL},\n  skills: [{ name: 'a' }],\n  scorers: { a: 5 },\n  inputProcessors: [{}],\n}\n`
  expect(await toldOf(agent('sup', { 'config.ts': own }))).toMatchInlineSnapshot(`
    "error[config-invalid] sup/config.ts:3:11 (sup)
      The description of the skill "a" of the agent "sup" is missing.
      fix: It is a text of at most 1024 characters that says what the skill does and when to use it.
    error[config-invalid] sup/config.ts:4:12 (sup)
      The scorers of the agent "sup": "a" is no scorer.
      fix: scorers: { quality: { scorer, sampling: { type: 'ratio', rate: 0.5 } } }
    error[config-invalid] sup/config.ts:5:20 (sup)
      Processor 0 in the inputProcessors of the agent "sup" has no id.
      fix: { id: 'guard', processInput() { … } }"
  `)
})

test('B1.5 B11.6 the tool of the skills is built in: its name is taken', async () => {
  const files = {
    ...skills({ 'a.md': SKILL }, { 'tools/skill.ts': tool() }),
    ...agent('sup/subagents/skill'),
    ...agent('dynamic', { 'config.ts': config(`${MODEL}, skills: () => []`), 'tools/skill.ts': tool() }),
    ...agent('none', { 'config.ts': config(`${MODEL}, skills: []`), 'tools/skill.ts': tool(), 'skills/README.md': '' }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "error[tool-collision] dynamic/tools/skill.ts:2:16 (dynamic)
      the tool "skill" (dynamic/tools/skill.ts) has the name of the built-in tool that loads skills
      fix: rename it, for example to "my_skill"
    error[subagent-tool-collision] sup/subagents/skill/config.ts:1:1 (sup)
      "sup" has a subagent and a tool that are both called "skill": sup/subagents/skill and the built-in tool that loads skills
      fix: rename the subagent "skill"
    error[tool-collision] sup/tools/skill.ts:2:16 (sup)
      the tool "skill" (sup/tools/skill.ts) has the name of the built-in tool that loads skills
      fix: rename it, for example to "my_skill""
  `)
})

test('B11.10 the folder of a skill: what is not known in it, not run, or no text', async () => {
  const files = {
    'a/SKILL.md': SKILL,
    'a/scripts/run.py': '',
    'a/reference/x.md': '',
    'a/Assets/x.md': '',
    'a/data.json': '{}',
    'a/references.md/x': '',
    'a/more/x.md': '',
    'a/references/link.md': { link: '../SKILL.md' },
    'a/assets/logo.png': Buffer.from([0x89, 0x50, 0, 0xff]),
    'a/assets/.hidden': '',
    'a/link': { link: '..' },
    'a/view.test.ts': '',
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "warning[entry-ignored] sup/skills/a/Assets:1:1 (sup)
      the folder "sup/skills/a/Assets" is ignored: nothing is called that; did you mean "assets/"?
      fix: rename it to "assets/"
    warning[entry-ignored] sup/skills/a/assets/logo.png:1:1 (sup)
      the file "sup/skills/a/assets/logo.png" is ignored: it is no UTF-8 text, and a skill is read as text
      fix: remove it, or let a tool of your own read it
    warning[entry-ignored] sup/skills/a/data.json:1:1 (sup)
      the file "sup/skills/a/data.json" is ignored: of the files beside SKILL.md, only Markdown is read
      fix: move it to "assets/data.json", or out of the skill
    warning[entry-ignored] sup/skills/a/link:1:1 (sup)
      the link "sup/skills/a/link" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/skills/a/more:1:1 (sup)
      the folder "sup/skills/a/more" is ignored: of folders, only "references/", "assets/" are read here
      fix: move what the model shall read to "references/", or the folder out of the skill
    warning[entry-ignored] sup/skills/a/reference:1:1 (sup)
      the folder "sup/skills/a/reference" is ignored: nothing is called that; did you mean "references/"?
      fix: rename it to "references/"
    warning[entry-ignored] sup/skills/a/references.md:1:1 (sup)
      the folder "sup/skills/a/references.md" is ignored: of folders, only "references/", "assets/" are read here
      fix: move what the model shall read to "references/", or the folder out of the skill
    warning[entry-ignored] sup/skills/a/references/link.md:1:1 (sup)
      the link "sup/skills/a/references/link.md" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/skills/a/scripts:1:1 (sup)
      the folder "sup/skills/a/scripts" is ignored: nothing runs the scripts of a skill
      fix: make a tool of what they do and name it in the skill, or move what the model shall read to "assets/""
  `)
})

test('B11.10 what is no skill: near misses, and folders without a SKILL.md', async () => {
  const files = {
    'SKILL.md': SKILL,
    'case/skill.md': SKILL,
    'other/SKILLS.md': SKILL,
    'empty/notes.txt': '',
    'group/inner/SKILL.md': SKILL,
    'dir/SKILL.md/x.md': '',
    'linked/SKILL.md': { link: '../group/inner/SKILL.md' },
    'note.txt': '',
    'view.tsx': '',
    'link.md': { link: 'SKILL.md' },
    'folder-link': { link: 'group' },
  }
  const near = {
    ...agent('near', { 'skill/a.md': '' }),
    ...agent('file', { skills: '' }),
    ...agent('upper', { 'Skills/a.md': '' }),
  }
  expect(await toldOf({ ...skills(files), ...near })).toMatchInlineSnapshot(`
    "warning[entry-ignored] file/skills:1:1 (file)
      the file "file/skills" is ignored: "skills/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] near/skill:1:1 (near)
      the folder "near/skill" is ignored: nothing is called that; did you mean "skills/"?
      fix: rename it to "skills/"
    warning[entry-ignored] sup/skills/SKILL.md:1:1 (sup)
      the file "sup/skills/SKILL.md" is ignored: a SKILL.md stands in a folder that is named as the skill
      fix: move it to "skills/my-skill/SKILL.md"
    warning[entry-ignored] sup/skills/case:1:1 (sup)
      the folder "sup/skills/case" is ignored: its "skill.md" is no "SKILL.md"
      fix: rename "case/skill.md" to "case/SKILL.md"
    warning[entry-ignored] sup/skills/dir:1:1 (sup)
      the folder "sup/skills/dir" is ignored: it holds no SKILL.md, so it is no skill
      fix: add "dir/SKILL.md", or move the folder out of "skills/"
    warning[entry-ignored] sup/skills/empty:1:1 (sup)
      the folder "sup/skills/empty" is ignored: it holds no SKILL.md, so it is no skill
      fix: add "empty/SKILL.md", or move the folder out of "skills/"
    warning[entry-ignored] sup/skills/folder-link:1:1 (sup)
      the link "sup/skills/folder-link" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/skills/group:1:1 (sup)
      the folder "sup/skills/group" is ignored: it holds no SKILL.md, so it is no skill
      fix: move "inner/" up one level
    warning[entry-ignored] sup/skills/link.md:1:1 (sup)
      the link "sup/skills/link.md" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/skills/linked:1:1 (sup)
      the folder "sup/skills/linked" is ignored: its SKILL.md is a link, and links are not followed
      fix: replace the link by the file that it points to
    warning[entry-ignored] sup/skills/note.txt:1:1 (sup)
      the file "sup/skills/note.txt" is ignored: a skill is a folder with a SKILL.md, a .md file, or a module
      fix: rename it to "note.md", or move it into the folder of a skill, or out of "skills/"
    warning[entry-ignored] sup/skills/other:1:1 (sup)
      the folder "sup/skills/other" is ignored: its "SKILLS.md" is no "SKILL.md"
      fix: rename "other/SKILLS.md" to "other/SKILL.md"
    warning[entry-ignored] sup/skills/view.tsx:1:1 (sup)
      the file "sup/skills/view.tsx" is ignored: a skill is a folder with a SKILL.md, a .md file, or a module
      fix: rename it to "view.ts", or move it into the folder of a skill, or out of "skills/"
    warning[entry-ignored] upper/Skills:1:1 (upper)
      the folder "upper/Skills" is ignored: nothing is called that; did you mean "skills/"?
      fix: rename it to "skills/""
  `)
})

test('B11.10 what the modules of skills import or read is passed over, and told where it does not load', async () => {
  const module = `import { readFileSync } from 'node:fs'
import { lead } from './lib/lead'
const text = readFileSync(new URL('./text.md', import.meta.url), 'utf8')
export default { description: 'Does.', instructions: lead + text }
`
  const files = { 'a.ts': module, 'lib/lead.ts': "export const lead = 'Lead.'\n", 'text.md': 'Do it.\n' }
  expect(await findingsOf(skills(files))).toEqual([])
  expect(await toldOf(skills({ ...files, 'lib/lead.ts': 'const a = 1\nconst a = 2\n' }))).toMatchInlineSnapshot(`
    "error[syntax-error] sup/skills/lib/lead.ts:2:7 (sup)
      Identifier \`a\` has already been declared
      fix: correct the syntax at this place; what is missing may stand earlier"
  `)
  expect(await toldOf(skills({ 'a.ts': "\nthrow new Error('boom')\n" }))).toMatchInlineSnapshot(`
    "error[module-failed] sup/skills/a.ts:2:7 (sup)
      "sup/skills/a.ts" could not be loaded: Error: boom
      fix: make the module load without an error; what needs a key or a service belongs into a tool"
  `)
})

test('B11.10 files that a skill sends to and that are not there, or not its own', async () => {
  const body = `See [one](references/one.md), [one](./references/one.md), references/two.md and again references/two.md.

Run scripts/run.py, read [the other](../b/SKILL.md), the [root](/etc/passwd) and <mailto:a@b.c>.

\`\`\`
[not](references/not.md)
\`\`\`

There are references/ and assets/*.md; see [two](<references/two.md> "Two").
`
  const files = {
    'a/SKILL.md': HEAD + body,
    'a/references/one.md': '',
    'b/SKILL.md': SKILL,
    'flat.md': `${HEAD}See [one](a/references/one.md).\n`,
  }
  expect(await toldOf(skills(files))).toMatchInlineSnapshot(`
    "warning[skill-reference-missing] sup/skills/a/SKILL.md:4:59 (sup)
      the skill sends the model to "references/two.md", which is not there
      fix: add "sup/skills/a/references/two.md", or correct the path
    warning[skill-reference-missing] sup/skills/a/SKILL.md:6:5 (sup)
      the skill sends the model to "scripts/run.py", which is not there
      fix: add "sup/skills/a/scripts/run.py", or correct the path
    warning[skill-reference-missing] sup/skills/a/SKILL.md:6:38 (sup)
      the skill sends the model to "../b/SKILL.md", outside its folder
      fix: copy it to "references/" and name it so: nothing outside the folder of a skill is read
    warning[skill-reference-missing] sup/skills/flat.md:4:11 (sup)
      the skill sends the model to "a/references/one.md", and a skill that is one file has no references
      fix: make it a folder with a SKILL.md and "references/""
  `)
})

test('B11.3 an Agent is taken as it is: skills beside it are told, and not looked at', async () => {
  const own = `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x', ${MODEL}, instructions: 'Work.' })\n`
  const files = { 'bad/SKILL.md': '', 'a.ts': 'throw new Error("run")\n', 'b.md': '---\n: [\n---\n', 'c.txt': '' }
  expect(await toldOf({ ...below('sup', { 'config.ts': own, ...below('skills', files) }) })).toMatchInlineSnapshot(`
    "warning[files-ignored-by-agent] sup/skills:1:1 (sup)
      "sup/skills" is ignored: sup/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it"
  `)
})

test('B11.8 skills of what is overridden are not looked at', async () => {
  const own = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, agents: { kid } }
`
  const bad = { 'skills/a.md': '', 'skills/b.ts': 'throw new Error("run")\n' }
  const files = { ...agent('sup', { 'config.ts': own }), ...agent('sup/subagents/kid', bad) }
  expect((await findingsOf(files)).map(({ code }) => code)).toEqual(['subagent-overridden'])
})

test('B11.1 skills can not stand in a frontmatter', async () => {
  const text = `---\n${MODEL}\nskills: [a]\nscorers: { a: b }\n---\nWork.\n`
  expect(await toldOf({ 'sup/agent.md': text })).toMatchInlineSnapshot(`
    "error[config-invalid] sup/agent.md:3:9 (sup)
      "skills" can't stand in the frontmatter of an agent.md
      fix: put each skill into a file or folder of its own in "skills/"
    error[config-invalid] sup/agent.md:4:10 (sup)
      "scorers" can't stand in the frontmatter of an agent.md
      fix: put each into a file of its own in "scorers/""
  `)
})

test('B11.11 the same findings about skills, whether modules load in this process or in another', async () => {
  const root = agentsProject(
    skills({
      'a.ts': "export default { name: 'A', instructions: 5 }\n",
      'b.ts': coded("name: 'b', description: 'Does.', instructions: () => 'Do.'"),
      'b.md': SKILL,
      'c.ts': 'export default 5\n',
      'd/SKILL.md': 'See [x](x.md).\n',
    }),
  )
  expect(await codesOfBoth(root)).toEqual([
    'default-export-invalid',
    'skill-duplicate',
    'skill-invalid',
    'skill-invalid',
    'skill-invalid',
    'skill-invalid',
    'skill-reference-missing',
  ])
})
