# Rules of the catalogue's machines. Whatever no rule lets through is dropped.

resource "yard_network" "catalogue" {
  name = "catalogue"
  zone = var.zone
  cidr = "10.20.0.0/24"
}

# The machines fetch updates and send mail by themselves.
resource "yard_rules" "outward" {
  network = yard_network.catalogue.id

  egress {
    description = "anything outward"
    protocol    = "any"
    from_port   = 0
    to_port     = 65535
    cidr_blocks = ["0.0.0.0/0"]
  }
}

# What readers use.
resource "yard_rules" "readers" {
  network = yard_network.catalogue.id

  ingress {
    description = "search pages"
    protocol    = "tcp"
    from_port   = 443
    to_port     = 443
    cidr_blocks = ["0.0.0.0/0"]
  }
}

# What the monitor asks for.
resource "yard_rules" "monitor" {
  network = yard_network.catalogue.id

  ingress {
    description = "health page"
    protocol    = "tcp"
    from_port   = 9100
    to_port     = 9100
    cidr_blocks = [var.office]
  }
}

# What the staff uses.
resource "yard_rules" "staff" {
  network = yard_network.catalogue.id

  ingress {
    description = "record editor and shell"
    protocol    = "tcp"
    from_port   = 8443
    to_port     = 8444
    cidr_blocks = var.staff_from
  }
}
