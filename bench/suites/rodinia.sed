# Rodinia: heartwall's windows around its points are a sixth in area; its convolutions are for a whole GPU.
s/^(\s*common\.sSize = )40;/\116;/
s/^(\s*common\.tSize = )25;/\110;/
