local fairwire = Proto("fairwire", "fairwire control message")

local header = {
  version = ProtoField.uint8("fairwire.version", "header version"),
  format = ProtoField.uint8("fairwire.format", "format"),
  bytes = ProtoField.uint16("fairwire.bytes", "bytes on the link"),
  flow = ProtoField.uint32("fairwire.flow", "flow"),
  capacity = ProtoField.double("fairwire.capacity", "capacity of the link in bit/s"),
  unit = ProtoField.double("fairwire.unit", "unit of rates in bit/s per unit weight"),
  weight = ProtoField.double("fairwire.weight", "weight of the station it goes to"),
  message = ProtoField.bytes("fairwire.message", "message"),
}
local fields = {}
for _, field in pairs(header) do table.insert(fields, field) end

-- What a field or a part of one is for Wireshark.
local function proto_field(filter, field)
  local title, names = field.title, field.names
  if field.mask then
    if field.bits == 1 then return ProtoField.bool(filter, title, 8, nil, field.mask) end
    return ProtoField.uint8(filter, title, base.DEC, names, field.mask)
  elseif field.kind == "number" then
    if field.bytes == 1 then return ProtoField.uint8(filter, title, base.DEC, names) end
    if field.bytes == 2 then return ProtoField.uint16(filter, title, base.DEC, names) end
    return ProtoField.uint32(filter, title, base.DEC, names)
  elseif field.kind == "parts" then
    return ProtoField.uint8(filter, title, base.HEX)
  elseif field.kind == "share" or field.kind == "double" or field.kind == "atm" then
    return ProtoField.double(filter, title)
  elseif field.kind == "code" then
    return ProtoField.uint16(filter, title, base.DEC)
  elseif field.kind == "address" then
    return ProtoField.ether(filter, title)
  end
  return ProtoField.bytes(filter, title)
end

-- Fields of one name in different sections are one for Wireshark.
for _, format in pairs(FORMATS) do
  format.known = {}
  -- The message itself: a filter for all of its kind.
  format.whole = ProtoField.none("fairwire." .. format.name, format.title)
  table.insert(fields, format.whole)
  local function learn(field)
    local filter = "fairwire." .. format.name .. "." .. field.name
    if not format.known[filter] then
      format.known[filter] = proto_field(filter, field)
      table.insert(fields, format.known[filter])
    end
    field.proto = format.known[filter]
    if field.kind == "code" then
      local rate = filter .. ".bps"
      if not format.known[rate] then
        format.known[rate] = ProtoField.double(rate, field.title .. " in bit/s")
        table.insert(fields, format.known[rate])
      end
      field.rate = format.known[rate]
    end
  end
  for _, section in ipairs(format.sections) do
    for _, field in ipairs(section.fields) do
      learn(field)
      for _, part in ipairs(field.parts or {}) do learn(part) end
    end
  end
end
fairwire.fields = fields

local wrong_length = ProtoExpert.new("fairwire.wrong_length", "the message has another length than its format",
  expert.group.MALFORMED, expert.severity.ERROR)
local out_of_range = ProtoExpert.new("fairwire.out_of_range", "a value without meaning",
  expert.group.MALFORMED, expert.severity.WARN)
fairwire.experts = { wrong_length, out_of_range }

local function rate_text(bps)
  if bps ~= bps or bps == math.huge then return "no limit" end
  for _, unit in ipairs({ { 1e9, "Gb/s" }, { 1e6, "Mb/s" }, { 1e3, "kb/s" } }) do
    if math.abs(bps) >= unit[1] then return string.format("%.6g %s", bps / unit[1], unit[2]) end
  end
  return string.format("%.6g b/s", bps)
end

-- ATM's 16-bit float: one bit, five of exponent, nine of mantissa, cells of 424 bits a second.
local function atm_rate(code)
  if math.floor(code / 16384) % 2 == 0 then return 0 end
  local exponent, mantissa = math.floor(code / 512) % 32, code % 512
  return 2 ^ exponent * (1 + mantissa / 512) * 424
end

-- Adds a field to the tree; what it says in short, if it tells a rate. Shares are of the link's capacity, codes in the unit of
-- rates, per unit weight.
local function add(tree, field, range, scale)
  local kind = field.kind
  if kind == "number" then
    local item, number = tree:add(field.proto, range), range:uint()
    if number < field.least or (field.names and not field.names[number]) then
      item:add_proto_expert_info(out_of_range)
    end
  elseif kind == "parts" then
    local item = tree:add(field.proto, range)
    for _, part in ipairs(field.parts) do item:add(part.proto, range) end
  elseif kind == "share" then
    local share = ((field.signed and range:int() or range:uint()) - field.less) / field.of
    local untold = share < 0 and not field.signed
    local text = untold and "not told" or rate_text(share * scale.capacity)
    local item = tree:add(field.proto, range, share):append_text(" (" .. text .. ")")
    return untold and "-" or string.format("%.4g", share), item
  elseif kind == "double" then
    local value = range:float()
    local item = tree:add(field.proto, range, value)
    if not (value >= field.least and value <= field.most) then item:add_proto_expert_info(out_of_range) end
    if field.unit == "bit/s" then
      item:append_text(" (" .. rate_text(value) .. ")")
      return rate_text(value)
    elseif field.unit ~= "" then
      item:append_text(" " .. field.unit)
    end
  elseif kind == "atm" then
    local rate = atm_rate(range:uint())
    tree:add(field.proto, range, rate):append_text(" (" .. rate_text(rate) .. ")")
    return rate_text(rate)
  elseif kind == "code" then
    local item, code = tree:add(field.proto, range), range:uint()
    if code == 65535 then
      item:append_text(" (no limit)")
      return "no limit"
    elseif not scale.unit then
      return tostring(code)
    end
    local rate = code * scale.unit
    local own = scale.weight == 1 and "" or
      string.format(", %s for the station it goes to, of weight %.6g", rate_text(rate * scale.weight), scale.weight)
    item:append_text(" (" .. rate_text(rate) .. own .. ")")
    item:add(field.rate, range, rate)
    return rate_text(rate)
  elseif kind == "zero" then
    local item = tree:add(field.proto, range)
    for at = 0, range:len() - 1 do
      if range(at, 1):uint() ~= 0 then item:add_proto_expert_info(out_of_range) break end
    end
  else
    tree:add(field.proto, range)
  end
end

local function holds(message, when)
  return not when or (when[1] < message:len() and bit.band(message(when[1], 1):uint(), when[2]) == when[3])
end

-- Reads a message by its format: what it tells of rates in short, or nothing if its length is another.
local function read(format, message, tree, scale)
  local at, told, order = 0, {}, {}
  for _, section in ipairs(format.sections) do
    local times = holds(message, section.when) and 1 or 0
    if times == 1 and section.times then
      if section.times[1] + section.times[2] > message:len() then return nil end
      times = message(section.times[1], section.times[2]):uint()
    end
    for place = 0, times - 1 do
      local under = tree
      if section.times and #section.fields > 1 then
        under = tree:add(fairwire, message(at), "[" .. place .. "]")
      end
      for _, field in ipairs(section.fields) do
        local bytes = field.bytes or (message:len() - field.all_but - at)
        if bytes < 0 or at + bytes > message:len() then return nil end
        if bytes > 0 then
          local short, item = add(under, field, message(at, bytes), scale)
          if item and section.times and under == tree then item:append_text(" [" .. place .. "]") end
          if short then
            if not told[field.name] then
              told[field.name] = {}
              table.insert(order, field.name)
            end
            table.insert(told[field.name], short)
          end
        end
        at = at + bytes
      end
    end
  end
  if at ~= message:len() then return nil end
  local texts = {}
  for _, name in ipairs(order) do
    local values = told[name]
    local shown = table.concat(values, " ", 1, math.min(#values, 16))
    table.insert(texts, name .. "=" .. shown .. (#values > 16 and " ..." or ""))
  end
  return table.concat(texts, " ")
end

function fairwire.dissector(buffer, packet, tree)
  if buffer:len() < HEADER then return 0 end
  local code, bytes = buffer(1, 1):uint(), buffer(2, 2):uint()
  local flow, capacity = buffer(4, 4):uint(), buffer(8, 8):uint64():tonumber()
  local format = FORMATS[code]
  packet.cols.protocol = format and string.upper(format.name) or "FAIRWIRE"
  local top = tree:add(fairwire, buffer())
  top:add(header.version, buffer(0, 1))
  top:add(header.format, buffer(1, 1)):append_text(format and " (" .. format.title .. ")" or " (not described)")
  top:add(header.bytes, buffer(2, 2))
  if flow ~= 4294967295 then top:add(header.flow, buffer(4, 4)) end
  top:add(header.capacity, buffer(8, 8), capacity):append_text(" (" .. rate_text(capacity) .. ")")
  packet.cols.info = format and format.title or "control message"
  if flow ~= 4294967295 then packet.cols.info:append(" of flow " .. flow) end
  local scale, begins = { capacity = capacity }, HEADER
  if buffer(0, 1):uint() == 2 and buffer:len() >= HEADER + UNIT then
    begins, scale.unit, scale.weight = HEADER + UNIT, buffer(HEADER, 8):float(), buffer(HEADER + 8, 8):float()
    top:add(header.unit, buffer(HEADER, 8), scale.unit)
    top:add(header.weight, buffer(HEADER + 8, 8), scale.weight)
  end
  if bytes == 0 or buffer:len() < begins + bytes then return buffer:len() end
  local message = buffer(begins, bytes)
  if not format then
    top:add(header.message, message)
    return buffer:len()
  end
  local part = top:add(format.whole, message)
  local told = read(format, message:tvb(), part, scale)
  if told == nil then
    part:add_proto_expert_info(wrong_length)
  elseif told ~= "" then
    packet.cols.info:append(": " .. told)
  end
  return buffer:len()
end

DissectorTable.get("ethertype"):add(ETHERTYPE, fairwire)
