// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampleevent.c - the positions of the numbers of samples.
 *
 * They are taken from the formats of the file, not from store/events/sampleevents.h: a later
 * version may add fields in between, and files of other machines have another byte order.
 */
#include "decode/samples/sampleevent.h"

#include "decode/formats/event.h"
#include "decode/formats/formats.h"
#include "store/events/sampleevents.h"

_Static_assert(PLACE_ADDRESS_BITS == SAMPLEEVENTS_ADDRESS_BITS, "places are those of the file");
_Static_assert(PLACE_NAMED > SAMPLEEVENTS_FILES_MAX, "names are no file");

static struct sample_field find(struct sample_kind *k, const char *name, uint32_t size)
{
	const struct field *f = event_find_field(k->event, name);

	if (!f || f->offset > UINT16_MAX - 8 || f->size != size)
		return (struct sample_field){0};
	if (f->offset + size > k->min_size)
		k->min_size = (uint16_t)(f->offset + size);
	return (struct sample_field){(uint16_t)f->offset, (uint16_t)size};
}

static bool begin(struct sample_kind *k, struct formats *f, const char *name)
{
	*k = (struct sample_kind){.event = formats_find_name(f, SAMPLEEVENTS_SYSTEM, name),
				  .swap = f->swap};
	return k->event;
}

bool sample_kind_init(struct sample_kind *k, struct formats *f)
{
	if (!begin(k, f, "sample"))
		return false;
	k->ip = find(k, "ip", 8);
	k->period = find(k, "period", 8);
	k->number = find(k, "event", 4);
	k->tgid = find(k, "tgid", 4);
	k->stack = find(k, "stack", 4);
	/* another program's event of that name */
	if (!k->ip.size || !k->period.size || !k->number.size || !k->stack.size)
		k->event = NULL;
	return k->event;
}

bool sample_kind_read(const struct sample_kind *k, const uint8_t *data, uint32_t size,
		      struct sample_event *ret)
{
	uint32_t loc, at, n_bytes;

	if (size < k->min_size)
		return false;
	loc = bytes_get32(data + k->stack.offset, k->swap);
	at = loc & 0xffff;
	n_bytes = loc >> 16;
	if (n_bytes && (at > size || n_bytes > size - at))
		return false;
	*ret = (struct sample_event){
		.ip = bytes_get64(data + k->ip.offset, k->swap),
		.period = bytes_get64(data + k->period.offset, k->swap),
		.event = bytes_get32(data + k->number.offset, k->swap),
		.tgid = k->tgid.size ? (int32_t)bytes_get32(data + k->tgid.offset, k->swap) : -1,
		.stack = data + at,
		.n = n_bytes / 8,
		.swap = k->swap};
	return true;
}
