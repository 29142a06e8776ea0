import { expect, test } from 'vitest'
import { fillArguments } from './fill-arguments.ts'
import type { FillContext } from './fill-context.ts'
import type { JsonRecord } from './json.ts'

function filled(properties: JsonRecord, request: string, required: string[] = Object.keys(properties)): unknown {
  const schema = { type: 'object', properties, required }
  const result = fillArguments(schema, contextOf(request))
  return result.ok ? result.value : result.missing
}

function contextOf(text: string): FillContext {
  return {
    text,
    whole: text,
    content: '',
    inline: '',
    name: '',
    others: [],
    finder: false,
    used: new Set(),
    resultNumbers: [],
    single: false,
    transformer: false,
  }
}

const text = { type: 'string' }
const whole = { type: 'integer' }

test.each<[string, JsonRecord, string, unknown]>([
  [
    'numbers in their order',
    { a: { type: 'number' }, b: { type: 'number' } },
    'multiply 6.5 by 1,200',
    { a: 6.5, b: 1200 },
  ],
  [
    'a number beside its name',
    { people: whole, tables: whole },
    'book 2 tables for 7 people',
    { people: 7, tables: 2 },
  ],
  ['no number out of range', { hour: { type: 'integer', minimum: 0, maximum: 23 } }, 'in 40 days at 9', { hour: 9 }],
  ['no number that is not there', { amount: { type: 'number' } }, 'refund the order', ['`amount` (number)']],
  [
    'no number out of a date or an id',
    { amount: { type: 'number' } },
    'refund A-1234 of 2025-01-02',
    ['`amount` (number)'],
  ],
  [
    'a choice that is named',
    { level: { enum: ['low', 'very_high'] } },
    'with very high priority',
    { level: 'very_high' },
  ],
  [
    'a choice by its meaning',
    { operation: { enum: ['add', 'multiply'] } },
    'what is 6 times 7',
    { operation: 'multiply' },
  ],
  ['the default of a choice', { level: { enum: ['low', 'high'], default: 'high' } }, 'do it', { level: 'high' }],
  ['no choice that is not named', { level: { enum: ['low', 'high'] } }, 'do it', ['`level` (low or high)']],
  [
    'a boolean',
    { force: { type: 'boolean' }, keep: { type: 'boolean', default: true } },
    'do it',
    { force: false, keep: true },
  ],
  [
    'an address',
    { to: { type: 'string', format: 'email' } },
    'write to ann@example.org, please',
    { to: 'ann@example.org' },
  ],
  ['no address', { to: { type: 'string', format: 'email' } }, 'write to Ann', ['`to` (email)']],
  [
    'a link',
    { page: { type: 'string', format: 'uri' } },
    'see https://example.org/a?b=1.',
    { page: 'https://example.org/a?b=1' },
  ],
  ['a spoken date', { date: { type: 'string', format: 'date' } }, 'on 3 March 2025', { date: '2025-03-03' }],
  ['no date that needs a clock', { date: { type: 'string', format: 'date' } }, 'tomorrow', ['`date`']],
  ['a day in words where words will do', { date: text }, 'the forecast for tomorrow', { date: 'tomorrow' }],
  ['an id', { orderId: text }, 'where is order AB-1234?', { orderId: 'AB-1234' }],
  ['no id', { orderId: text }, 'where is my order?', ['`orderId`']],
  ['two places', { from: text, to: text }, 'the way to Rome from Oslo', { from: 'Oslo', to: 'Rome' }],
  ['a value with its label', { color: text }, 'paint it, color: dark-red.', { color: 'dark-red' }],
  [
    'a list of numbers',
    { numbers: { type: 'array', items: { type: 'number' } } },
    'the mean of 3, 4 and 5',
    { numbers: [3, 4, 5] },
  ],
  [
    'a list of names',
    { cities: { type: 'array', items: text } },
    'fly to Rome, Oslo and Paris',
    { cities: ['Rome', 'Oslo', 'Paris'] },
  ],
  [
    'two units',
    { value: { type: 'number' }, from: { enum: ['c', 'f'] }, to: { enum: ['c', 'f'] } },
    'turn 100 f to c',
    { value: 100, from: 'f', to: 'c' },
  ],
  [
    'codes in their order',
    { base: { ...text, description: 'Currency code' }, quote: { ...text, description: 'Currency code' } },
    'USD to JPY',
    { base: 'USD', quote: 'JPY' },
  ],
  ['the word before the name', { list: text }, 'show the shopping list', { list: 'shopping' }],
  ['arithmetic', { expression: text }, 'what is (3 plus 4) times 2?', { expression: '(3 + 4) * 2' }],
  ['a constant', { kind: { const: 'x' } }, 'do it', { kind: 'x' }],
  ['null where nothing else may stand', { id: { type: ['string', 'null'] } }, 'do it', { id: null }],
  [
    'an object in an object',
    { trip: { type: 'object', properties: { city: text, guests: whole }, required: ['city', 'guests'] } },
    'a room in Rome for 2 guests',
    { trip: { city: 'Rome', guests: 2 } },
  ],
  [
    'what is missing inside, with its path',
    { trip: { type: 'object', properties: { guests: whole }, required: ['guests'] } },
    'a room in Rome',
    ['`trip.guests` (integer)'],
  ],
  [
    'a quarter by its number',
    { quarter: { enum: ['Q1', 'Q2', 'Q3', 'Q4'] } },
    'in the third quarter',
    { quarter: 'Q3' },
  ],
  ['a quarter by its month', { quarter: { enum: ['Q1', 'Q2', 'Q3', 'Q4'] } }, 'in August 2024', { quarter: 'Q3' }],
  ['a day by its name', { day: { enum: ['mon', 'tue', 'wed'] } }, 'on Tuesday', { day: 'tue' }],
  ['no consent', { confirm: { type: 'boolean' } }, 'delete it', ['`confirm` (boolean)']],
  ['a switch that is spoken of', { catering: { type: 'boolean' } }, 'a room with catering', { catering: true }],
  ['a marked word behind its name', { server: text }, 'the cpu of server web-1', { server: 'web-1' }],
  ['a name behind its name', { room: text, seats: whole }, 'book room Aurora for 4', { room: 'Aurora', seats: 4 }],
  ['an hour and a day', { date: text, start: text }, 'on 2026-05-02 at 10:00', { date: '2026-05-02', start: '10:00' }],
  [
    'a list behind its name, a quotation once',
    { title: text, tags: { type: 'array', items: text }, severity: whole },
    "a ticket titled 'DB is slow' with tags db, urgent, severity 2",
    { title: 'DB is slow', tags: ['db', 'urgent'], severity: 2 },
  ],
  [
    'a list behind "of"',
    { items: { type: 'array', items: text } },
    'make a shopping list of milk, eggs and bread',
    { items: ['milk', 'eggs', 'bread'] },
  ],
  ['no list', { items: { type: 'array', items: text } }, 'make a shopping list', ['`items` (array)']],
  [
    'who it is for, by the holder of the name',
    { assignee: { type: 'object', properties: { name: text }, required: ['name'] } },
    'a bug assigned to Kim',
    { assignee: { name: 'Kim' } },
  ],
  [
    'currencies in words',
    {
      amount: { type: 'number' },
      from: { ...text, maxLength: 3, description: 'ISO code of the source currency' },
      to: { ...text, maxLength: 3, description: 'ISO code of the target currency' },
    },
    'convert 100 dollars to yen',
    { amount: 100, from: 'USD', to: 'JPY' },
  ],
  ['portions', { servings: whole }, 'soup for 4 people', { servings: 4 }],
  ['the alternative that can be filled', { when: { anyOf: [{ type: 'null' }, whole] } }, 'at 9', { when: 9 }],
])('%s', (_, properties, request, expected) => {
  expect(filled(properties, request)).toEqual(expected)
})

test.each<[string, JsonRecord, string, unknown]>([
  ['is left out', { limit: whole, when: text, to: { type: 'string', format: 'email' } }, 'find 3 books', {}],
  ['of portions is filled from the people', { servings: whole }, 'soup for 4 people', { servings: 4 }],
  ['is filled where the request plainly gives it', { limit: whole }, 'find the top 3 books', { limit: 3 }],
  ['of a default is left to the tool', { limit: { type: 'integer', default: 5 } }, 'find books', {}],
  [
    'choice is filled where it is named',
    { units: { enum: ['metric', 'imperial'] } },
    'in metric units',
    { units: 'metric' },
  ],
])('an optional argument %s', (_, properties, request, expected) => {
  expect(filled(properties, request, [])).toEqual(expected)
})

test('a required number is not taken by an optional one', () => {
  expect(filled({ days: whole, amount: { type: 'number' } }, 'pay 30', ['amount'])).toEqual({ amount: 30 })
})

test('references within the schema are followed, endless ones too', () => {
  const schema = {
    type: 'object',
    properties: { city: { $ref: '#/$defs/place' }, self: { $ref: '#' } },
    required: ['city'],
    $defs: { place: { type: 'string' } },
  }
  expect(fillArguments(schema, contextOf('the weather in Rome'))).toMatchObject({ ok: true, value: { city: 'Rome' } })
})
