import { expect, test } from 'vitest'
import { frameMaterial, NOTICE, splitMaterial, stripNotice, withNotice } from './framing.ts'

test('material comes out as it went in, whatever fences it holds', () => {
  const text = 'a\n~~~\nb\n~~~~~ material from x\nc'
  const { request, materials } = splitMaterial(frameMaterial('Write it.', [{ from: 'desk', text }]))
  expect(request).toBe('Write it.')
  expect(materials).toEqual([{ from: 'desk', text }])
})

test('the notice stands once, at the end', () => {
  const reply = withNotice(`first\n${NOTICE}\nsecond`)
  expect(reply).toBe(`first\nsecond\n\n${NOTICE}`)
  expect(stripNotice(reply)).toBe('first\nsecond')
})
